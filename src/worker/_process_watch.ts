/** What the watching thread is told first. */
export interface WatchOrder {
  /** The memory of the control block of the task's thread. */
  readonly control: SharedArrayBuffer;
  /** Words that it must not write. */
  readonly own: readonly number[];
  /** Words that it must write last. */
  readonly flags: readonly number[];
}

/**
 * What a second thread of a child process does, beside the one that the task may keep busy for ever:
 * it reads what the parent says, writes into shared memory what cannot wait, hands everything else to
 * the task's thread, and ends the process when the parent is gone.
 *
 * Its text is the whole program of a worker. It must not need anything outside of itself: a process
 * with few permissions may not load further modules.
 */
export function watch(): void {
  const scope = globalThis as unknown as {
    onmessage: (event: { data: WatchOrder }) => void;
    postMessage(message: unknown, transfer: Transferable[]): void;
  };
  const endProcess = (): void => Deno.kill(Deno.pid, "SIGKILL");

  const mirror = (payload: Uint8Array<ArrayBuffer>, { control, own, flags }: WatchOrder): void => {
    const from = new Int32Array(payload.buffer);
    const to = new Int32Array(control);
    const late = new Set(flags);
    for (let word = 0; word < from.length; word++) {
      if (!own.includes(word) && !late.has(word)) Atomics.store(to, word, from[word]!);
    }
    for (const word of flags) Atomics.store(to, word, from[word]!);
  };

  scope.onmessage = async ({ data: order }) => {
    // What a terminal or a service manager sends to all processes at once is for the parent to act on.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      try {
        Deno.addSignalListener(signal, () => {});
      } catch {
        // Windows does not know all of them.
      }
    }
    try {
      const chunk = new Uint8Array(1 << 16);
      const header = new Uint8Array(5);
      let payload: Uint8Array<ArrayBuffer> | undefined;
      let filled = 0;
      while (true) {
        const count = await Deno.stdin.read(chunk);
        if (count === null) return endProcess();
        for (let offset = 0; offset < count;) {
          const target: Uint8Array = payload ?? header;
          const part = chunk.subarray(offset, Math.min(count, offset + target.length - filled));
          target.set(part, filled);
          offset += part.length;
          filled += part.length;
          if (filled < target.length) continue;
          filled = 0;
          if (payload === undefined) {
            payload = new Uint8Array(new DataView(header.buffer).getUint32(0, true));
            continue;
          }
          if (header[4] === 1) mirror(payload, order);
          else if (header[4] === 2) Deno.kill(Deno.pid, "SIGTERM");
          else scope.postMessage(payload.buffer, [payload.buffer]);
          payload = undefined;
        }
      }
    } catch (error) {
      console.error(error);
      endProcess();
    }
  };
}
