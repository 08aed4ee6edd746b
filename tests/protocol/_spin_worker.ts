/// <reference lib="deno.worker" />
import { ControlBlock } from "../../src/protocol/control_block.ts";

// Never yields between the message and the answer: only shared memory can reach it.
self.onmessage = ({ data: { buffer, sequence } }) => {
  const control = new ControlBlock(buffer);
  let turns = 0;
  do {
    control.beat();
    turns++;
  } while (!control.mustStop(sequence));
  self.postMessage({ turns, reason: control.reasonFor(sequence) });
};
