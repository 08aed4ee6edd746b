/** Something that a task may do while it is to be stopped. */
export interface Way {
  /** What `tests/fixtures/ways.ts` is given; `undefined`: the module loads for ever. */
  readonly input?: string;
  /** As it stands in the table. */
  readonly text: string;
  /** It ends when it is told to, and gets all the time that it needs for it. */
  readonly stops?: true;
  /** It ends by itself after some seconds. */
  readonly returns?: true;
}

/** The rows of the table. */
export const WAYS: readonly Way[] = [
  { input: "obeys", stops: true, text: "waits for something, and listens to `ctx.signal`" },
  { input: "ignores", text: "waits for something, and listens to nothing" },
  { input: "checkpoints", stops: true, text: "`while (true) ctx.checkpoint()`" },
  { input: "loop", text: "`while (true)`" },
  { text: "`while (true)` at the top of the module" },
  { input: "finally", text: "`while (true)` in a `finally` block" },
  { input: "microtasks", text: "an endless chain of promises" },
  { input: "regex", text: "a regular expression that backtracks for ever" },
  { input: "wasm", text: "an endless loop in WebAssembly" },
  { input: "sort", text: "sorting an array of 30 million" },
  { input: "bigint", text: "a power of `BigInt`s" },
  { input: "wait", text: "`Atomics.wait()` without a timeout" },
  { input: "call", text: "a call of the operating system, for 3 s", returns: true },
];
