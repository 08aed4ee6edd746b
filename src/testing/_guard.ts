import { type Duration, toMilliseconds } from "../base/duration.ts";
import { findLeaks } from "./_leak_check.ts";
import { recordThings } from "./_recorder.ts";
import { activeScope, currentPlace, enter, type Place, Scope } from "./_scope.ts";
import { watchPlatform } from "./_watch_platform.ts";
import { type Leak, LeakError } from "./leak_error.ts";

interface GuardOptions {
  readonly wait?: Duration;
  readonly ignore?: (leak: Leak) => boolean;
}

/** The books of one guard, from its beginning to its end. */
export class Guard implements AsyncDisposable {
  readonly label: string;
  readonly #wait: number;
  readonly #ignore: (leak: Leak) => boolean;
  readonly #outer: Place = currentPlace();
  readonly #scope = new Scope(activeScope());
  readonly #watching = [recordThings(), watchPlatform()];
  readonly #steps: Disposable | undefined;

  /**
   * @param label The test or step, as the error names it.
   * @param t Its context, where there is one.
   */
  constructor(label: string, options: GuardOptions, t?: Deno.TestContext) {
    this.#wait = toMilliseconds(options.wait ?? 250, "wait");
    this.#ignore = options.ignore ?? (() => false);
    this.label = label;
    const place = { scope: this.#scope, step: this.label, holder: undefined };
    enter(place);
    if (t !== undefined) this.#steps = returnBeforeSteps(t, place);
  }

  /** What is alive and would be a leak now. */
  async leaks(): Promise<readonly Leak[]> {
    const leaks = await findLeaks(this.#scope.items, this.#wait);
    return leaks.filter((leak) => !this.#ignore(leak));
  }

  /** Whatever is alive now may live on, with its parts. */
  ignoreCurrent(): void {
    for (const item of this.#scope.items) item.ignore();
  }

  /** Ends the guard, and tells what is left. */
  async end(): Promise<readonly Leak[]> {
    if (this.#scope.ended) return [];
    this.#steps?.[Symbol.dispose]();
    enter(this.#outer);
    const leaks = await this.leaks();
    this.#scope.ended = true;
    for (const watching of this.#watching) watching[Symbol.dispose]();
    return leaks;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const leaks = await this.end();
    if (leaks.length > 0) throw new LeakError(this.label, leaks);
  }
}

/**
 * A step begins in the turn of its parent's call, and the guard in it moves that turn to its own
 * place. So the parent is moved back whenever it reaches for `step`: its next step must not begin in
 * the place of the one before. (Wrapping `step` would do as well, but Deno then names the wrapper as
 * the line of every step that fails.)
 */
function returnBeforeSteps(t: Deno.TestContext, place: Place): Disposable {
  const { step } = t;
  const property = { configurable: true, enumerable: true };
  Object.defineProperty(t, "step", {
    ...property,
    get: () => {
      enter(place);
      return step;
    },
  });
  return {
    [Symbol.dispose]: () =>
      Object.defineProperty(t, "step", { ...property, writable: true, value: step }),
  };
}
