import { show } from "../base/show.ts";
import { decodeThrown, type EncodedValue } from "./error_codec.ts";

/** How many runs can be in one worker at once: a power of two. */
export const MOST_RUNS = 256;

/*
 * Shared memory of 5 KiB between a worker and its parent:
 *
 *   int32 0      not 0: the worker must stop
 *   int32 1      heartbeat, counted up by the worker
 *   int32 2      the last run that the worker has begun
 *   int32 3      not 0: runs from this one on must not begin any more
 *   int32 4      bytes of the reason in area 0 (a run must stop)
 *   int32 5      bytes of the reason in area 1 (the worker must stop)
 *   int32 6      the run that the reason in area 0 is for
 *   int32 16…    for each run, at its sequence number modulo 256: that number, when it must stop
 *   1088…        area 0, then area 1: the reasons as JSON
 *
 * Messages say the same, but code that never yields cannot receive any.
 */
const STOP = 0;
const HEARTBEAT = 1;
const BEGUN = 2;
const RECALLED = 3;
const REASON_LENGTH = 4;
const REASON_RUN = 6;
const SLOTS_START = 16;
const AREA_START = 64 + 4 * MOST_RUNS;
const AREA_SIZE = 2_016;
const SIZE = AREA_START + 2 * AREA_SIZE;

/** How another process keeps a copy of the memory: which words it takes over, and in which order. */
export const MIRROR = {
  /** Only the worker writes these: they are never overwritten. */
  own: [HEARTBEAT, BEGUN],
  /** Come last: when these are seen, the reasons must be there. */
  flags: [STOP, ...Array.from({ length: MOST_RUNS }, (_, index) => SLOTS_START + index)],
};

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
    const slot = slotOf(sequence);
    if (Atomics.load(this.#words, slot) === sequence) return;
    // Nobody may take the reason of one run for that of another while it is written.
    Atomics.store(this.#words, REASON_RUN, 0);
    this.#writeReason(0, reason);
    Atomics.store(this.#words, REASON_RUN, sequence);
    Atomics.store(this.#words, slot, sequence);
  }

  /**
   * Parent: runs from this one on must not begin any more.
   *
   * @returns The last run that may have begun: those after it never will.
   */
  recall(from: number): number {
    Atomics.store(this.#words, RECALLED, from);
    return Atomics.load(this.#words, BEGUN);
  }

  /** Parent: the last run that may have begun. Those after it, if they must stop, never will. */
  get begun(): number {
    return Atomics.load(this.#words, BEGUN);
  }

  /** Parent: runs may begin again. */
  endRecall(): void {
    Atomics.store(this.#words, RECALLED, 0);
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

  /**
   * Worker: is about to begin the run.
   *
   * The order of the store and the loads matters. Either this sees what the parent wrote, or the
   * parent sees that the run has begun.
   *
   * @returns Whether it may.
   */
  begin(sequence: number): boolean {
    Atomics.store(this.#words, BEGUN, sequence);
    const recalled = Atomics.load(this.#words, RECALLED);
    return (recalled === 0 || sequence < recalled) && !this.mustStop(sequence);
  }

  /** Worker: must the run with this sequence number stop? */
  mustStop(sequence: number): boolean {
    return Atomics.load(this.#words, STOP) !== 0 ||
      Atomics.load(this.#words, slotOf(sequence)) === sequence;
  }

  /** Worker: why the run must stop. */
  reasonFor(sequence: number): unknown {
    const aborted = Atomics.load(this.#words, slotOf(sequence)) === sequence;
    if (!aborted) return this.#readReason(1);
    // There is room for one reason only, and another run may have been aborted since.
    if (Atomics.load(this.#words, REASON_RUN) === sequence) {
      const reason = this.#readReason(0);
      if (Atomics.load(this.#words, REASON_RUN) === sequence) return reason;
    }
    return new DOMException("The run was aborted", "AbortError");
  }

  #readReason(area: Area): unknown {
    const length = Atomics.load(this.#words, REASON_LENGTH + area);
    const bytes = new Uint8Array(this.buffer, AREA_START + area * AREA_SIZE, length).slice();
    try {
      return decodeThrown(JSON.parse(new TextDecoder().decode(bytes)));
    } catch {
      // It is being written. The caller looks at the run number again.
      return undefined;
    }
  }

  #writeReason(area: Area, reason: EncodedValue): void {
    const bytes = fit(reason);
    new Uint8Array(this.buffer, AREA_START + area * AREA_SIZE, AREA_SIZE).set(bytes);
    Atomics.store(this.#words, REASON_LENGTH + area, bytes.length);
  }
}

function slotOf(sequence: number): number {
  return SLOTS_START + (sequence & (MOST_RUNS - 1));
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
