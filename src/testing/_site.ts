/** Everything of Leash is below this folder. */
const LEASH = new URL("../", import.meta.url).href;

/** The frames of the checks themselves tell nobody anything. */
const TESTING = new URL("./", import.meta.url).href;

/** Deep enough to get out of Leash to the line of the test. */
const DEPTH = 40;

/** How many lines of a test are shown for one thing. */
const SHOWN = 4;

/** Remembers the line that is running. Cheap: V8 makes text of it only when asked to. */
export class Site {
  readonly #error: Error;

  constructor() {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = DEPTH;
    this.#error = new Error();
    Error.stackTraceLimit = stackTraceLimit;
  }

  /** The frames outside of Leash and Deno, innermost first. */
  get frames(): string[] {
    return this.#all().filter((frame) => !frame.includes(LEASH)).slice(0, SHOWN);
  }

  /** Whether it is code of Leash's that asked for it, and not code of the user's. */
  get inLeash(): boolean {
    const [nearest = ""] = this.#all().filter((frame) => !frame.includes(TESTING));
    return nearest.includes(LEASH);
  }

  #all(): string[] {
    const { stack = "" } = this.#error;
    return stack.split("\n").slice(1)
      .map((line) => line.trim().replace(/^at /, ""))
      .filter((frame) => !/\b(ext|node):|<anonymous>|\[native code\]/.test(frame));
  }
}
