import { type LiveEntry, type LiveThing, setRecorder } from "../base/live.ts";
import { activeScope, Item, within } from "./_scope.ts";

/** The things of Leash's that began to live while somebody recorded, and still do. */
const things = new Map<LiveThing, Item>();

let users = 0;

/** Keeps the books of what Leash makes, from now until disposed of, once. */
export function recordThings(): Disposable {
  if (users++ === 0) setRecorder(add);
  return {
    [Symbol.dispose]: () => {
      if (--users > 0) return;
      setRecorder(undefined);
      things.clear();
    },
  };
}

/** What Leash made while somebody recorded, and is not gone. */
export function liveThings(): ReadonlyMap<LiveThing, Item> {
  return things;
}

function add(thing: LiveThing): LiveEntry {
  let gone = false;
  const item = new Item({
    what: thing.kind,
    name: () => thing.name,
    state: () => gone ? undefined : thing.state() ?? "",
    root: thing.signal !== undefined,
    lock: thing.lock,
  });
  things.set(thing, item);
  activeScope()?.add(item);
  return {
    within: (make) => within(item, make),
    [Symbol.dispose]: () => {
      gone = true;
      things.delete(thing);
    },
  };
}
