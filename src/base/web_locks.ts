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
