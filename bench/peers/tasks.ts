/** The tasks that the workers of the peers serve. */

/** Gives the value back. */
export function echo<T>(value: T): T {
  return value;
}

/** Gives the length of a buffer. */
export function measure(buffer: ArrayBuffer): number {
  return buffer.byteLength;
}

/** Holds a Web Lock, and waits for ever. What is not needed for the first result is not loaded for it. */
export async function hold(lock: string): Promise<unknown> {
  const { holdForEver } = await import("../_pool_lock.ts");
  return await holdForEver(lock);
}
