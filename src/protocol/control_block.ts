import { show } from "../base/show.ts";
import { decodeThrown, type EncodedValue } from "./error_codec.ts";

/*
 * Shared memory of 4 KiB between a worker and its parent:
 *
 *   int32 0  every run up to this sequence number must stop
 *   int32 1  not 0: the worker must stop
 *   int32 2  heartbeat, counted up by the worker
 *   int32 3  bytes of the reason in area 0 (a run must stop)
 *   int32 4  bytes of the reason in area 1 (the worker must stop)
 *   64…      area 0, then area 1: the reasons as JSON
 *
 * Messages say the same, but code that never yields cannot receive any.
 */
const ABORTED_RUN = 0;
const STOP = 1;
const HEARTBEAT = 2;
const REASON_LENGTH = 3;
const AREA_START = 64;
const AREA_SIZE = 2_016;
const SIZE = AREA_START + 2 * AREA_SIZE;

type Area = 0 | 1;

/** The words through which a parent reaches code that is in the middle of a loop. */
export class ControlBlock {
  /** The memory itself, to be sent to the worker. */
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;

  /** @param buffer The memory that the parent made; without it, new memory. */
  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(SIZE)) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer, 0, AREA_START / 4);
  }

  /** Parent: the run with this sequence number must stop. The first reason holds. */
  abortRun(sequence: number, reason: EncodedValue): void {
    if (Atomics.load(this.#words, ABORTED_RUN) >= sequence) return;
    this.#writeReason(0, reason);
    Atomics.store(this.#words, ABORTED_RUN, sequence);
  }

  /** Parent: the worker must stop. The first reason holds. */
  stop(reason: EncodedValue): void {
    if (Atomics.load(this.#words, STOP) !== 0) return;
    this.#writeReason(1, reason);
    Atomics.store(this.#words, STOP, 1);
  }

  /** Parent: how often the worker has shown a sign of life; wraps around. */
  get heartbeat(): number {
    return Atomics.load(this.#words, HEARTBEAT);
  }

  /** Worker: shows a sign of life. */
  beat(): void {
    // Only this thread writes the word, so it needs no atomic addition.
    Atomics.store(this.#words, HEARTBEAT, this.#words[HEARTBEAT]! + 1);
  }

  /** Worker: must the run with this sequence number stop? */
  mustStop(sequence: number): boolean {
    return Atomics.load(this.#words, STOP) !== 0 ||
      Atomics.load(this.#words, ABORTED_RUN) >= sequence;
  }

  /** Worker: why the run must stop. */
  reasonFor(sequence: number): unknown {
    const area = Atomics.load(this.#words, ABORTED_RUN) >= sequence ? 0 : 1;
    const length = Atomics.load(this.#words, REASON_LENGTH + area);
    const bytes = new Uint8Array(this.buffer, AREA_START + area * AREA_SIZE, length).slice();
    return decodeThrown(JSON.parse(new TextDecoder().decode(bytes)));
  }

  #writeReason(area: Area, reason: EncodedValue): void {
    const bytes = fit(reason);
    new Uint8Array(this.buffer, AREA_START + area * AREA_SIZE, AREA_SIZE).set(bytes);
    Atomics.store(this.#words, REASON_LENGTH + area, bytes.length);
  }
}

/** The reason as JSON, without what does not fit or is no JSON: first the stack, then the rest. */
function fit(reason: EncodedValue): Uint8Array {
  const encoder = new TextEncoder();
  const { name, message, dom } = "error" in reason
    ? reason.error
    : { name: "AbortError", message: textOf(reason.value), dom: true as const };
  const candidates: EncodedValue[] = [
    reason,
    { error: { name, message, dom } },
    { error: { name: cut(name, 100), message: cut(message, 300), dom } },
  ];
  for (const candidate of candidates) {
    try {
      const bytes = encoder.encode(JSON.stringify(candidate));
      if (bytes.length <= AREA_SIZE) return bytes;
    } catch {
      // BigInt and circles are no JSON.
    }
  }
  return encoder.encode(JSON.stringify({ error: { name: "AbortError", message: "", dom: true } }));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : show(value);
}

/** The start of a text, not cut inside of a character. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")}…`;
}
