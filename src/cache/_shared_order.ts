/** Processors that never let a read overtake another one. */
const KEEPS_ORDER = Deno.build.arch === "x86_64";

/** A word of this thread's own. */
const fence = new Int32Array(new SharedArrayBuffer(4));

/**
 * Keeps what is read before it before what is read after it. JavaScript has nothing for that but a write,
 * which costs a fifth of a lookup, as the processor may not begin with the next one before it is done.
 */
export function orderReads(): void {
  if (!KEEPS_ORDER) Atomics.add(fence, 0, 1);
}
