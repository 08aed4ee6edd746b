import { ControlBlock } from "../../src/protocol/control_block.ts";

const scope = self as unknown as Worker;
scope.onmessage = ({ data: { buffer, count, go } }) => {
  const control = new ControlBlock(buffer);
  scope.postMessage("running");
  // Else it might be done before the other thread gets its turn.
  Atomics.wait(new Int32Array(go), 0, 0);
  const taken = new Set<number>();
  for (let run = 1; run <= count; run++) {
    if (control.begin(run)) taken.add(run);
    for (let spin = 0; spin < 50; spin++) control.beat();
  }
  scope.postMessage(taken);
};
