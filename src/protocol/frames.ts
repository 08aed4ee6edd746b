/** Bytes before each payload: its length, and what it is. */
const HEADER = 5;

/** A frame that claims to be longer is no frame. */
const LONGEST = 2 ** 31;

/** A message, as `node:v8` serializes it. */
export const MESSAGE = 0;
/** The memory of a control block. */
export const CONTROL = 1;
/** The process is to send SIGTERM to itself; the payload is one byte of no meaning. */
export const TERM = 2;

/**
 * @param kind What the payload is.
 * @param length How long it is, in bytes.
 * @returns What to send before it.
 */
export function frameHeader(kind: number, length: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(HEADER);
  new DataView(header.buffer).setUint32(0, length, true);
  header[4] = kind;
  return header;
}

/** Puts the frames of a stream of bytes together again. */
export class FrameReader {
  readonly #frame: (kind: number, payload: Uint8Array<ArrayBuffer>) => void;
  readonly #header = new Uint8Array(HEADER);
  #filled = 0;
  #payload: Uint8Array<ArrayBuffer> | undefined;

  /** @param frame Called with each frame; its payload is nobody else's. */
  constructor(frame: (kind: number, payload: Uint8Array<ArrayBuffer>) => void) {
    this.#frame = frame;
  }

  /**
   * Takes some bytes.
   *
   * @throws {RangeError} When they are no frames.
   */
  push(bytes: Uint8Array): void {
    let offset = 0;
    while (offset < bytes.length) {
      const target = this.#payload ?? this.#header;
      const part = bytes.subarray(offset, offset + target.length - this.#filled);
      target.set(part, this.#filled);
      this.#filled += part.length;
      offset += part.length;
      if (this.#filled === target.length) this.#complete();
    }
  }

  #complete(): void {
    this.#filled = 0;
    if (this.#payload === undefined) {
      const length = new DataView(this.#header.buffer).getUint32(0, true);
      if (length > LONGEST || this.#header[4]! > TERM) {
        throw new RangeError("Cannot read the messages of a worker: received what is none");
      }
      this.#payload = new Uint8Array(length);
      if (length > 0) return;
    }
    const payload = this.#payload;
    this.#payload = undefined;
    this.#frame(this.#header[4]!, payload);
  }
}
