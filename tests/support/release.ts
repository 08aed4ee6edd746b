/** Shared memory that holds a busy task until it is disposed of. */
export function holdBusy(): { readonly memory: SharedArrayBuffer; release(): void } & Disposable {
  const memory = new SharedArrayBuffer(4);
  const release = (): void => void Atomics.store(new Int32Array(memory), 0, 1);
  return { memory, release, [Symbol.dispose]: release };
}
