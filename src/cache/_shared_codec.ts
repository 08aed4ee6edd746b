/** What a user gives and gets as values. Stored in the header by its place in this list. */
export const CODECS = ["json", "string", "bytes"] as const;
export type CodecName = typeof CODECS[number];

/** How the bytes of one record are to be read. */
const BYTES = 0;
const ASCII = 1;
const UTF8 = 2;
/** For strings that have no UTF-8: those with half a surrogate pair. */
const UTF16 = 3;

/** Strings up to this length are read and written by hand: a call into Deno costs more. */
const SHORT = 48;

const encoder = new TextEncoder();
// With `ignoreBOM` the mark is *not* taken away: a value that begins with one must come back with it.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Turns values into bytes of its own, and back. */
export class ValueCodec {
  /** What was encoded last. */
  bytes: Uint8Array = new Uint8Array(4_096);
  length = 0;
  kind = BYTES;

  constructor(readonly name: CodecName, readonly limit: number) {}

  /**
   * @returns `false`: it takes more bytes than the limit, `length` of them.
   * @throws {TypeError} When the value is none of the codec's.
   */
  encode(value: unknown): boolean {
    if (this.name === "bytes") return this.#encodeBytes(value);
    if (this.name === "string") {
      if (typeof value !== "string") throw wrongValue("a string", value);
      return this.#encodeString(value);
    }
    const text = JSON.stringify(value);
    if (text === undefined) throw wrongValue("a value that JSON can hold", value);
    return this.#encodeString(text);
  }

  #encodeBytes(value: unknown): boolean {
    if (!(value instanceof Uint8Array)) throw wrongValue("a Uint8Array", value);
    this.bytes = value;
    this.length = value.length;
    this.kind = BYTES;
    return this.length <= this.limit;
  }

  #encodeString(text: string): boolean {
    const { length } = text;
    this.length = length;
    if (length > this.limit) return false;
    const least = length * 3;
    if (this.bytes.length < least) this.bytes = new Uint8Array(Math.max(4_096, least));
    this.kind = ASCII;
    if (length <= SHORT) {
      let i = 0;
      for (; i < length; i++) {
        const code = text.charCodeAt(i);
        if (code > 127) break;
        this.bytes[i] = code;
      }
      if (i === length) return true;
    }
    if (!text.isWellFormed()) {
      this.kind = UTF16;
      this.length = length * 2;
      for (let i = 0; i < length; i++) {
        const code = text.charCodeAt(i);
        this.bytes[2 * i] = code;
        this.bytes[2 * i + 1] = code >> 8;
      }
    } else {
      this.length = encoder.encodeInto(text, this.bytes).written;
      if (this.length !== length) this.kind = UTF8;
    }
    return this.length <= this.limit;
  }

  /** The value of a record; `undefined` when its bytes are none: the buffer is broken. */
  decode(bytes: Uint8Array, length: number, kind: number): unknown {
    if (this.name === "bytes") return kind === BYTES ? bytes.slice(0, length) : undefined;
    const text = decodeString(bytes, length, kind);
    if (this.name === "string" || text === undefined) return text;
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }

  /** The bytes of a record: those of a string in UTF-8, as far as it has such. */
  decodeBytes(bytes: Uint8Array, length: number, kind: number): Uint8Array<ArrayBuffer> {
    if (kind === UTF16) return encoder.encode(decodeString(bytes, length, kind));
    return new Uint8Array(bytes.subarray(0, length));
  }
}

function decodeString(bytes: Uint8Array, length: number, kind: number): string | undefined {
  if (kind === ASCII && length <= SHORT) return decodeShort(bytes, length);
  if (kind === ASCII || kind === UTF8) return decoder.decode(bytes.subarray(0, length));
  if (kind !== UTF16) return undefined;
  let text = "";
  for (let i = 0; i + 1 < length; i += 2) {
    text += String.fromCharCode(bytes[i]! | bytes[i + 1]! << 8);
  }
  return text;
}

/**
 * Characters behind the end are made as well, and cut off: one string is faster than several that are put
 * together. A buffer always has so many.
 */
function decodeShort(b: Uint8Array, length: number): string {
  const of = String.fromCharCode;
  // deno-fmt-ignore
  if (length <= 16) {
    return of(
      b[0]!, b[1]!, b[2]!, b[3]!, b[4]!, b[5]!, b[6]!, b[7]!,
      b[8]!, b[9]!, b[10]!, b[11]!, b[12]!, b[13]!, b[14]!, b[15]!,
    ).slice(0, length);
  }
  // deno-fmt-ignore
  const text = of(
    b[0]!, b[1]!, b[2]!, b[3]!, b[4]!, b[5]!, b[6]!, b[7]!,
    b[8]!, b[9]!, b[10]!, b[11]!, b[12]!, b[13]!, b[14]!, b[15]!,
    b[16]!, b[17]!, b[18]!, b[19]!, b[20]!, b[21]!, b[22]!, b[23]!,
    b[24]!, b[25]!, b[26]!, b[27]!, b[28]!, b[29]!, b[30]!, b[31]!,
  );
  if (length <= 32) return text.slice(0, length);
  // deno-fmt-ignore
  return text + of(
    b[32]!, b[33]!, b[34]!, b[35]!, b[36]!, b[37]!, b[38]!, b[39]!,
    b[40]!, b[41]!, b[42]!, b[43]!, b[44]!, b[45]!, b[46]!, b[47]!,
  ).slice(0, length - 32);
}

function wrongValue(expected: string, value: unknown): TypeError {
  return new TypeError(
    `Cannot set a value in a SharedCache: expected ${expected}, by its codec: received ` +
      (typeof value === "object" ? Object.prototype.toString.call(value) : typeof value),
  );
}
