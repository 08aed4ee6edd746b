import { AsyncLocalStorage } from "node:async_hooks";
import { Site } from "./_site.ts";
import type { Thread } from "./_thread.ts";

/** What one guard watches. */
export class Scope {
  readonly items = new Set<Item>();
  readonly parent: Scope | undefined;
  ended = false;
  #roomy = 1_000;

  constructor(parent: Scope | undefined) {
    this.parent = parent;
  }

  /** Takes the thing into the books. A test may set a million timers, one after the other. */
  add(item: Item): void {
    if (this.items.size >= this.#roomy) this.#tidy();
    this.items.add(item);
  }

  #tidy(): void {
    for (const old of this.items) {
      // A lock is asked for at the end, whatever its holder says of itself.
      if (old.options.lock === undefined && old.options.state() === undefined) {
        this.items.delete(old);
      }
    }
    this.#roomy = Math.max(1_000, this.items.size * 2);
  }
}

/** Where the code is that runs now, in terms of tests. */
export interface Place {
  readonly scope: Scope | undefined;
  /** The test and its steps. */
  readonly step: string | undefined;
  /** The thing of Leash's that is at work. */
  readonly holder: Item | undefined;
}

const NOWHERE: Place = { scope: undefined, step: undefined, holder: undefined };

/** Follows the code through promises, timers, events and messages; parallel steps do not mix. */
const places = new AsyncLocalStorage<Place>();

/** Where the code is that runs now. */
export function currentPlace(): Place {
  return places.getStore() ?? NOWHERE;
}

/** The innermost guard here that has not ended: what it leaves behind is its parent's. */
export function activeScope(): Scope | undefined {
  let { scope } = currentPlace();
  while (scope?.ended) scope = scope.parent;
  return scope;
}

/** Calls `fn` there. What it leaves behind stays there, and the caller stays where it is. */
export function at<Result>(place: Place, fn: () => Result): Result {
  return places.run(place, fn);
}

/** Moves the function that runs now there, with all that it does later. */
export function enter(place: Place): void {
  places.enterWith(place);
}

/** What a guard knows of a thing when it begins to live. */
export interface ItemOptions {
  /** What it is. */
  readonly what: string;
  /** Which one; some get their name only later. */
  readonly name: () => string | undefined;
  /**
   * How it is now; `undefined` when it is gone for good, empty while there is nothing in it that could
   * leak.
   */
  readonly state: () => string | undefined;
  /** Whether it should be gone, so that nothing but its thread can be left. */
  readonly isTerminated?: () => boolean;
  /** Whether things made on the same line are parts of it. */
  readonly root?: boolean;
  /** The Web Lock that it holds as long as it lives. */
  readonly lock?: string | undefined;
  readonly thread?: Thread | undefined;
}

/** One thing that a guard watches. */
export class Item {
  readonly options: ItemOptions;
  /** Where it was made. */
  readonly site: Site = new Site();
  readonly place: Place;
  /** Where the computer lets one look: the thread that it is. */
  thread: Thread | undefined;
  #ignored = false;

  constructor(options: ItemOptions) {
    this.options = options;
    this.place = currentPlace();
    this.thread = options.thread;
  }

  /** Whether it should be gone, so that nothing but its thread can be left. */
  get terminated(): boolean {
    return this.options.isTerminated?.() ?? false;
  }

  /** Whether it was there before it mattered, or is a part of what was. */
  get ignored(): boolean {
    return this.#ignored || (this.place.holder?.ignored ?? false);
  }

  ignore(): void {
    this.#ignored = true;
  }
}

/** The thing that Leash is making in this very turn. */
let making: Item | undefined;

/** Begins to watch a thing, if a guard is on here. */
export function watch(options: ItemOptions): Item | undefined {
  const scope = activeScope();
  if (scope === undefined) return undefined;
  const item = new Item(options);
  scope.add(item);
  return item;
}

/** Calls `make`: what it makes, now or later, is a part of the thing, and at home where that is. */
export function within<Result>(item: Item, make: () => Result): Result {
  const outer = making;
  making = item;
  try {
    return at({ ...item.place, holder: item }, make);
  } finally {
    making = outer;
  }
}

/** The worker of Leash's that is being made: a platform's worker or process made now is just that. */
export function workerBeingMade(): Item | undefined {
  return making?.options.what === "worker" ? making : undefined;
}
