import { assert } from "@std/assert";
import { HangWatch } from "../../src/pool/_hang_watch.ts";
import type { WorkerHandle } from "../../src/pool/worker_handle.ts";
import { guardTests } from "../../src/testing/mod.ts";

guardTests();

function blockFor(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

Deno.test("while the thread is blocked, or the process stands still, no worker counts as silent", async () => {
  const timeout = 100;
  const handle = { state: "running", heartbeat: 1 } as WorkerHandle;
  let looks = 0;
  const { promise: hang, resolve } = Promise.withResolvers<{ look: number; silentFor: number }>();
  using watch = new HangWatch({
    timeout,
    kills: false,
    hasWork: () => true,
    handles() {
      looks++;
      // It has seen a beat. The next look will come far too late.
      if (looks === 1) setTimeout(() => blockFor(5 * timeout), 0);
      return [handle];
    },
    onHang(_handle, silentFor) {
      resolve({ look: looks, silentFor });
    },
  });
  watch.start();
  const { look, silentFor } = await hang;
  assert(look > 2, "none was seen by the look that was late");
  assert(silentFor >= timeout, `${silentFor} ms`);
});
