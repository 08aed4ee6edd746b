import { assert, assertEquals, assertThrows } from "@std/assert";
import { checkPermissions, type WorkerPermissions } from "../../src/pool/permissions.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { TestPool } from "../support/test_pool.ts";

guardTests();

Deno.test("a worker is replaced after its number of runs", async () => {
  await using pool = new TestPool("counts", { maxRunsPerWorker: 2 });
  const values = [];
  for (let run = 0; run < 5; run++) values.push((await pool.run() as { value: number }).value);
  assertEquals(values, [1, 2, 1, 2, 1]);
  assertEquals(pool.log.all("worker-exited").map(({ end }) => end), ["recycled", "recycled"]);
});

Deno.test("an idle worker ends after the idle timeout, and not while it is used", async () => {
  const clock = new FakeClock();
  await using pool = new TestPool("counts", { clock, idleTimeout: 1_000 });
  await pool.run();
  clock.advance(999);
  assertEquals(await pool.run(), { kind: "completed", value: 2 });
  clock.advance(999);
  assertEquals(pool.log.all("worker-exited"), []);
  clock.advance(1);
  assertEquals((await pool.log.until("worker-exited")).end, "idle");
  assertEquals(await pool.alive(), 0);
  assertEquals(clock.timers, 0);
});

Deno.test("with an idle timeout of 0 every run has a worker of its own", async () => {
  await using pool = new TestPool("counts", { idleTimeout: 0 });
  for (let run = 0; run < 3; run++) {
    assertEquals(await pool.run(), { kind: "completed", value: 1 });
  }
});

Deno.test("no more workers live than allowed, and all runs are served in order", async () => {
  await using pool = new TestPool("echo", { maxWorkers: 2 });
  const begun: number[] = [];
  await Promise.all(
    Array.from(
      { length: 50 },
      (_, index) => pool.run(index, { onStart: () => begun.push(index) }),
    ),
  );
  assertEquals(begun, begun.toSorted((a, b) => a - b));
  assert(pool.log.all("worker-spawned").length <= 2);
});

Deno.test("permissions: what is misspelt or of the wrong type is an error that helps", () => {
  const check = (permissions: unknown): void =>
    checkPermissions(permissions as WorkerPermissions, "sweep");
  assertThrows(
    () => check({ reed: ["/data"] }),
    TypeError,
    'permissions of task "sweep": expected only the keys env, ffi, import, net, read, run, sys, ' +
      "write: received reed",
  );
  assertThrows(() => check("all"), TypeError, 'expected "inherit", "none" or an object');
  assertThrows(() => check(["read"]), TypeError, "or an object: received [");
  assertThrows(() => check(null), TypeError, "received null");
  assertThrows(() => check({ read: "/data" }), TypeError, "an array of strings as read");
  assertThrows(() => check({ net: [1] }), TypeError, "an array of strings as net");
  check({ read: true, net: false, env: undefined, run: [] });
});

Deno.test({
  name: "permissions: more than the process has is refused with the flag that is missing",
  permissions: { read: ["/usr"], write: false, net: false },
  fn() {
    const check = (permissions: WorkerPermissions): void => checkPermissions(permissions, "sweep");
    assertThrows(
      () => check({ read: ["/etc"] }),
      Deno.errors.NotCapable,
      'Cannot give task "sweep" the permission read of /etc: this process does not have it ' +
        "itself. Start it with --allow-read=/etc",
    );
    assertThrows(() => check({ read: true }), Deno.errors.NotCapable, "--allow-read");
    assertThrows(() => check({ net: ["example.com"] }), Deno.errors.NotCapable);
    check({ read: ["/usr/share"] });
    check({ write: false, net: [] });
  },
});
