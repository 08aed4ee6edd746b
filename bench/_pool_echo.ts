/** What the task is given. */
export type EchoInput =
  | number
  | Uint8Array<ArrayBuffer>
  | ArrayBuffer
  | { readonly hold: string }
  | { readonly spin: true };

/** Gives a number or bytes back, and the length of a buffer; holds a lock, or spins, for ever. */
export default function echo(input: EchoInput): unknown {
  if (typeof input === "number" || input instanceof Uint8Array) return input;
  if (input instanceof ArrayBuffer) return input.byteLength;
  if ("hold" in input) return hold(input.hold);
  while (true);
}

/** What is not needed for the first result is not loaded for it. */
async function hold(lock: string): Promise<unknown> {
  const { holdForEver } = await import("./_pool_lock.ts");
  return await holdForEver(lock);
}
