import type { TaskContext } from "../src/worker/mod.ts";

/** Gives a number back; for the two texts it waits, and obeys its signal or does not. */
export default function echo(input: unknown, ctx: TaskContext): unknown {
  if (typeof input === "number") return input;
  ctx.progress(1);
  return new Promise<void>((resolve) => {
    if (input === "obeys") ctx.signal.addEventListener("abort", () => resolve());
  });
}
