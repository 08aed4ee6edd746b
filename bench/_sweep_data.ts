/**
 * Keys of 13 bytes and values of 30. They are made before they are used, and each is a string of its
 * own, in one piece: as they come from a socket, not as parts that a cache puts together when it
 * stores them, nor as the very string that it has stored already.
 *
 * @module
 */

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const key = encoder.encode("user:00000000");
const value = encoder.encode('{"id":00000000,"name":"abcde"}');

/** The key of an entry. */
export function keyOf(id: number): string {
  return written(key, 12, id);
}

/** The value of an entry. */
export function valueOf(id: number): string {
  return written(value, 13, id);
}

function written(bytes: Uint8Array, lastDigit: number, id: number): string {
  let rest = id;
  for (let at = lastDigit; at > lastDigit - 8; at--) {
    bytes[at] = 48 + rest % 10;
    rest = Math.floor(rest / 10);
  }
  return decoder.decode(bytes);
}

/** Whether it is one of those that expire, which lie between the others. */
export function expires(id: number, share: number): boolean {
  return (id * 7_919) % 100 < share;
}

/** Numbers below a limit, the same in each process. */
export function randomBelow(limit: number): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) % limit;
  };
}
