/** Something that lives until it is ended, and that a leak check has to find when nobody ends it. */
export interface LiveThing {
  /** What it is, in the words of the documentation: `"scheduler"`, `"worker"`. */
  readonly kind: string;
  /** Which one. */
  readonly name?: string | undefined;
  /**
   * How it is now, in a few words; `undefined` as long as there is nothing in it that could leak. Must
   * not throw.
   */
  readonly state: () => string | undefined;
  /** The signal that owns it. */
  readonly signal?: AbortSignal;
  /** Settles when it is gone. Never an unhandled rejection. */
  readonly finished?: Promise<unknown>;
  /** The Web Lock that it holds as long as it lives. */
  readonly lock?: string;
}

/** A thing's place in the books, from its beginning; dispose of it when the thing is gone. */
export interface LiveEntry extends Disposable {
  /** Calls `make`, and takes whatever that makes for a part of this thing. */
  within<Result>(make: () => Result): Result;
}

/** Keeps the books while a leak check is on. */
export type LiveRecorder = (thing: LiveThing) => LiveEntry;

/** Nobody keeps books: an entry then costs nothing. */
const UNRECORDED: LiveEntry = { within: (make) => make(), [Symbol.dispose]: () => {} };

let recorder: LiveRecorder | undefined;

/**
 * Says that something begins to live. Every object that holds a worker, a timer or others of its
 * kind calls this once.
 *
 * @param thing What it is.
 * @returns To be disposed of when it is gone.
 */
export function track(thing: LiveThing): LiveEntry {
  return recorder === undefined ? UNRECORDED : recorder(thing);
}

/** Sets who is told of everything that begins to live from now on; `undefined` for nobody. */
export function setRecorder(next: LiveRecorder | undefined): void {
  recorder = next;
}
