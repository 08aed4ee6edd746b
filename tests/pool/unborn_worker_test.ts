import { assertEquals } from "@std/assert";
import { guardTests } from "../../src/testing/mod.ts";
import { TestPool } from "../support/test_pool.ts";

guardTests();

/** A server that is asked for a module, and answers when it is told. */
class SlowServer implements Disposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #connections: Deno.Conn[] = [];
  /** Resolves when it was asked. */
  readonly asked: Promise<void> = this.#listener.accept().then((connection) => {
    this.#connections.push(connection);
  });

  constructor() {
    // Nobody may have asked by the end.
    this.asked.catch(() => {});
  }

  /** A module that imports one of this server. */
  get module(): string {
    const { port } = this.#listener.addr as Deno.NetAddr;
    const source = `import "http://127.0.0.1:${port}/slow.js"; export default () => {};`;
    return `data:text/javascript,${encodeURIComponent(source)}`;
  }

  /** Hangs up on whoever asked. */
  hangUp(): void {
    for (const connection of this.#connections.splice(0)) connection.close();
  }

  [Symbol.dispose](): void {
    this.hangUp();
    this.#listener.close();
  }
}

Deno.test("a worker that is ended before it runs at all is stuck until it is gone, and no longer", async () => {
  using server = new SlowServer();
  // What a module imports is loaded before its worker runs: meanwhile it cannot be ended.
  await using pool = new TestPool(server.module, { readyTimeout: 500, killTimeout: 300 });
  const settled = pool.run();
  await server.asked;
  assertEquals((await settled).kind, "failed");
  assertEquals(pool.log.all("worker-stuck").length, 1);
  assertEquals(pool.log.all("worker-exited"), []);
  server.hangUp();
  const { end, wasStuck } = await pool.log.until("worker-exited");
  assertEquals([end, wasStuck], ["load-failed", true]);
  assertEquals(await pool.close(), []);
});

Deno.test("a worker that is ended right after it was started is seen to be gone", async () => {
  await using pool = new TestPool("echo", { readyTimeout: 1, killTimeout: 60_000 });
  for (let round = 1; round <= 5; round++) {
    assertEquals((await pool.run()).kind, "failed");
    assertEquals(pool.log.all("worker-exited").length, round);
  }
  assertEquals([pool.log.all("worker-stuck"), await pool.alive()], [[], 0]);
});

Deno.test("who gives up a worker that has not run yet leaves nothing of its own behind", async () => {
  using server = new SlowServer();
  const pool = new TestPool(server.module, { readyTimeout: 500, killTimeout: 300 });
  await pool.run();
  assertEquals((await pool.close()).map(({ task }) => task), [pool.task]);
});
