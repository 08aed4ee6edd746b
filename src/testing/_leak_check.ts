import { webLocks } from "../base/web_locks.ts";
import type { Item } from "./_scope.ts";
import { ThreadWatch } from "./_thread.ts";
import type { Leak } from "./leak_error.ts";

/** Never a clock that a test has put in its place. */
const { setTimeout, performance } = globalThis;

/** Between two looks, in milliseconds. */
const PAUSE = 10;

/**
 * A thread that is terminated may take its time to end where the machine has no time for it. Rather
 * than call it a leak, or miss one, the check then waits so much longer, in milliseconds.
 */
const PATIENCE = 2_000;

/**
 * Looks what is alive, until nothing is or the time is over.
 *
 * @param items The things to look at. Their number may change meanwhile.
 * @param wait For how long, in milliseconds.
 * @returns What is alive, parts under what they are parts of.
 */
export async function findLeaks(items: ReadonlySet<Item>, wait: number): Promise<Leak[]> {
  const end = performance.now() + wait;
  const watches = new Map<Item, ThreadWatch>();
  const isClear = (item: Item): boolean => {
    const verdict = watches.get(item)?.verdict;
    return verdict === undefined ? !item.terminated : verdict !== "unclear";
  };
  while (true) {
    const alive = await look(items, watches);
    if (alive.size === 0) return [];
    const late = performance.now() - end;
    if (late >= PATIENCE || (late >= 0 && [...alive.keys()].every(isClear))) return group(alive);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

/** One look: the things that are alive, and how. */
async function look(
  items: ReadonlySet<Item>,
  watches: Map<Item, ThreadWatch>,
): Promise<Map<Item, string>> {
  const alive = new Map<Item, string>();
  const locks = await heldLocks(items);
  for (const item of items) {
    if (item.ignored) continue;
    const state = stateOf(item, locks);
    if (!state) continue;
    let watch = watches.get(item);
    if (watch === undefined) watches.set(item, watch = new ThreadWatch());
    if (item.thread !== undefined) watch.sample(item.thread);
    const { verdict } = watch;
    // Any idle worker is blocked. It is worth a word where the thread should not be there at all.
    const show = verdict === "spinning" ||
      (verdict === "blocked" && (item.terminated || state === "stuck"));
    alive.set(item, show ? `${state}, ${verdict}` : state);
  }
  return alive;
}

/** What the thing says of itself, corrected by what the runtime says of its lock. */
function stateOf({ options: { state, lock } }: Item, locks: Set<string>): string | undefined {
  const own = state();
  if (lock === undefined) return own;
  if (own === undefined) return locks.has(lock) ? "taken for dead, but it holds its lock" : own;
  // Nobody watches a stuck worker any longer: it may have died since.
  return own === "stuck" && !locks.has(lock) ? undefined : own;
}

async function heldLocks(items: ReadonlySet<Item>): Promise<Set<string>> {
  // Asking is an operation that takes a turn: not for the many tests that have no worker at all.
  if (![...items].some(({ options }) => options.lock !== undefined)) return new Set();
  const { held = [] } = await webLocks().query();
  return new Set(held.map(({ name = "" }) => name));
}

function group(alive: Map<Item, string>): Leak[] {
  const leaks = new Map<Item, Leak & { holds: Leak[] }>();
  for (const [item, state] of alive) {
    const { what, name } = item.options;
    const { step } = item.place;
    let { frames: made } = item.site;
    // What Leash makes later has no line of the test in its stack.
    for (let { holder } = item.place; made.length === 0 && holder; { holder } = holder.place) {
      made = holder.site.frames;
    }
    leaks.set(item, { what, name: name(), state, step, made, holds: [] });
  }
  const roots = new Map<string, Item>();
  for (const item of alive.keys()) {
    if (item.options.root && !roots.has(lineOf(item))) roots.set(lineOf(item), item);
  }
  return [...leaks].filter(([item, leak]) => {
    const holder = holderOf(item, alive, roots);
    if (holder !== undefined) leaks.get(holder)!.holds.push(leak);
    return holder === undefined;
  }).map(([, leak]) => leak);
}

/** The outermost living thing that this one is a part of. */
function holderOf(
  item: Item,
  alive: Map<Item, string>,
  roots: Map<string, Item>,
): Item | undefined {
  let outermost: Item | undefined;
  for (let { holder } = item.place; holder !== undefined; { holder } = holder.place) {
    if (alive.has(holder)) outermost = holder;
  }
  if (outermost !== undefined || !item.site.inLeash) return outermost;
  // What one call into Leash has made belongs together.
  const root = roots.get(lineOf(item));
  return root === item ? undefined : root;
}

function lineOf(item: Item): string {
  return item.site.frames.join("\n");
}
