/** Keys are at most so many bytes. */
export const LONGEST_KEY = 65_536;

/**
 * Writes the key into `into`, and returns its length; -1 when it does not fit. Unlike TextEncoder, it
 * keeps lone surrogates apart from each other, as two keys that differ must not share an entry.
 */
export function writeKey(key: string | Uint8Array, into: Uint8Array): number {
  if (typeof key !== "string") {
    if (key.length > LONGEST_KEY) return -1;
    into.set(key);
    return key.length;
  }
  const { length } = key;
  if (length > LONGEST_KEY) return -1;
  for (let i = 0; i < length; i++) {
    const code = key.charCodeAt(i);
    if (code > 127) return writeRest(key, i, into);
    into[i] = code;
  }
  return length;
}

function writeRest(key: string, start: number, into: Uint8Array): number {
  let at = start;
  for (let i = start; i < key.length; i++) {
    // A view drops what lies beyond its end, so the length is all that has to be looked at.
    const code = key.codePointAt(i)!;
    if (code < 0x80) into[at++] = code;
    else if (code < 0x800) {
      into[at++] = 0xc0 | code >> 6;
      into[at++] = 0x80 | code & 63;
    } else if (code < 0x10000) {
      into[at++] = 0xe0 | code >> 12;
      into[at++] = 0x80 | code >> 6 & 63;
      into[at++] = 0x80 | code & 63;
    } else {
      i++;
      into[at++] = 0xf0 | code >> 18;
      into[at++] = 0x80 | code >> 12 & 63;
      into[at++] = 0x80 | code >> 6 & 63;
      into[at++] = 0x80 | code & 63;
    }
  }
  return at > LONGEST_KEY ? -1 : at;
}

/** A hash of the first bytes. The seed is a secret, so that nobody can choose keys that collide. */
export function hashBytes(bytes: Uint8Array, length: number, seed: number): number {
  let hash = seed ^ length;
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  hash = Math.imul(hash ^ hash >>> 16 ^ seed, 0x85ebca6b);
  hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
  return hash ^ hash >>> 16;
}

/** What stands at the start of a record, and nowhere else but by a chance of one in 2^32. */
export function sealOf(secret: number, address: number, epoch: number, generation: number): number {
  let seal = Math.imul(address ^ secret, 0x9e3779b1);
  seal = Math.imul(seal ^ seal >>> 15 ^ epoch, 0x85ebca6b);
  seal = Math.imul(seal ^ seal >>> 13 ^ generation ^ secret, 0xc2b2ae35);
  return seal ^ seal >>> 16;
}
