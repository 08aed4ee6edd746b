import { assertEquals } from "@std/assert";
import { guardTests } from "../../src/testing/mod.ts";
import { TestPool } from "../support/test_pool.ts";

guardTests();

/** A server that is asked for a module, and never answers. */
class SlowServer implements Disposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #connections: Deno.Conn[] = [];
  /** Whether it was asked. */
  get isAsked(): boolean {
    return this.#connections.length > 0;
  }

  constructor() {
    // Nobody may have asked by the end.
    this.#listener.accept().then((connection) => this.#connections.push(connection), () => {});
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

/** A run in a worker that was ended while it loaded what its module imports, before it ran at all. */
async function runUnborn(): Promise<{ server: SlowServer; pool: TestPool; kind: string }> {
  for (let readyTimeout = 500;; readyTimeout *= 2) {
    const server = new SlowServer();
    const pool = new TestPool(server.module, { readyTimeout, killTimeout: 300 });
    const { kind } = await pool.run();
    if (server.isAsked) return { server, pool, kind };
    // It was still on its way to the server when its time was over.
    server[Symbol.dispose]();
    await pool.close();
  }
}

Deno.test("a worker that is ended before it runs at all is stuck until it is gone, and no longer", async () => {
  const { pool, server, kind } = await runUnborn();
  await using _pool = pool;
  using _server = server;
  assertEquals(kind, "failed");
  assertEquals(pool.log.all("worker-stuck").length, 1);
  assertEquals(pool.log.all("worker-exited"), []);
  server.hangUp();
  const { end, wasStuck } = await pool.log.until("worker-exited");
  assertEquals([end, wasStuck], ["load-failed", true]);
  assertEquals(await pool.close(), []);
});

Deno.test("a worker that is ended right after it was started is seen to be gone", async () => {
  // It must not be ready by then, however late that is noticed.
  await using pool = new TestPool("never_loads", { readyTimeout: 1 });
  for (let round = 1; round <= 5; round++) {
    assertEquals((await pool.run()).kind, "failed");
    assertEquals(pool.log.all("worker-exited").length, round);
  }
  assertEquals([pool.log.all("worker-stuck"), await pool.alive()], [[], 0]);
});

Deno.test("who gives up a worker that has not run yet leaves nothing of its own behind", async () => {
  const { pool, server } = await runUnborn();
  using _server = server;
  assertEquals((await pool.close()).map(({ task }) => task), [pool.task]);
});
