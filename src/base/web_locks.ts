interface LockManager {
  request(
    name: string,
    options: { signal?: AbortSignal; ifAvailable?: boolean },
    callback: (lock: unknown) => unknown,
  ): Promise<unknown>;
  query(): Promise<{ held?: { name?: string }[] }>;
}

/** `navigator.locks`, which Deno's type library does not know yet. */
export function webLocks(): LockManager {
  const locks = (navigator as unknown as { locks?: LockManager }).locks;
  if (locks === undefined) {
    throw new Error(
      `Cannot use Leash on this runtime: it needs navigator.locks, which Deno has since 2.9.4: ` +
        `received Deno ${Deno.version.deno}. Run "deno upgrade"`,
    );
  }
  return locks;
}

/**
 * Takes a lock.
 *
 * @param name Its name, which nobody else has.
 * @returns `held`: resolves when it is taken. `release`: gives it back, once it was taken; resolves
 * when it is free.
 */
export function holdLock(name: string): { held: Promise<void>; release: () => Promise<void> } {
  const held = Promise.withResolvers<void>();
  const life = Promise.withResolvers<void>();
  const done = webLocks().request(name, {}, () => {
    held.resolve();
    return life.promise;
  });
  return {
    held: held.promise,
    async release() {
      life.resolve();
      await done;
    },
  };
}
