import { webLocks } from "../src/base/web_locks.ts";

/** Holds the lock until the thread is dead. */
export function holdForEver(lock: string): Promise<unknown> {
  return webLocks().request(lock, {}, () => new Promise(() => {}));
}

/** Whether somebody holds the lock. */
export async function isHeld(lock: string): Promise<boolean> {
  const { held = [] } = await webLocks().query();
  return held.some(({ name }) => name === lock);
}

/** Resolves when nobody holds the lock any more. */
export async function isFree(lock: string): Promise<void> {
  await webLocks().request(lock, {}, () => {});
}
