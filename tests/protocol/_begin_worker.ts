import { ControlBlock } from "../../src/protocol/control_block.ts";

const scope = self as unknown as Worker;
scope.onmessage = ({ data: { buffer, count } }) => {
  const control = new ControlBlock(buffer);
  scope.postMessage("running");
  const taken = new Set<number>();
  for (let run = 1; run <= count; run++) {
    if (control.begin(run)) taken.add(run);
    for (let spin = 0; spin < 50; spin++) control.beat();
  }
  scope.postMessage(taken);
};
