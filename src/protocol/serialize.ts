import { deserialize as v8Deserialize, serialize as v8Serialize } from "node:v8";
import { findUnportable } from "./portable.ts";

/**
 * @param value Anything that can be carried to another process.
 * @returns It as bytes.
 * @throws {DOMException} A `DataCloneError` that names the part that cannot be carried.
 */
export function serialize(value: unknown): Uint8Array {
  const problem = findUnportable(value);
  if (problem !== undefined) {
    throw new DOMException(
      `Cannot carry a value to another process: ${problem}`.replace(": .", ": "),
      "DataCloneError",
    );
  }
  return v8Serialize(value);
}

/** @param bytes What `serialize` returned, in another process of the same Deno. */
export function deserialize(bytes: Uint8Array<ArrayBuffer>): unknown {
  return v8Deserialize(bytes);
}
