import { DatabaseSync } from "node:sqlite";
import { every, type Scheduler } from "../mod.ts";
import type { Contestant } from "./_rounds.ts";

const TARGET = 20;

/** The same table, swept in the ways that people do it. The first one is what the others are compared with. */
export async function sqliteContestants(
  scheduler: Scheduler,
  { rows, expired, index, writes }: {
    rows: number;
    expired: number;
    index: boolean;
    /** The main thread writes a row every 10 ms meanwhile. */
    writes: boolean;
  },
): Promise<Contestant[]> {
  const input = { path: "", table: "sessions", column: "expires_at" };
  const task = scheduler.add<typeof import("../src/sweepers/sqlite.ts")>(
    new URL("../src/sweepers/sqlite.ts", import.meta.url),
    {
      name: `sqlite ${rows} ${expired} ${index} ${writes}`,
      schedule: every({ hours: 1 }),
      idleTimeout: Infinity,
      input,
    },
  );
  const sweep = async (path: string) => {
    const result = await task.trigger({ ...input, path });
    if (result.outcome !== "succeeded") throw result.error;
  };
  const prepare = () => database(rows, expired, index);
  const finish = (path: string) => expectLeft(path, rows - expired);
  // What is measured is a sweep by a worker that is there already.
  const warmUp = database(2, 1, index);
  await sweep(warmUp);
  expectLeft(warmUp, 1);

  const contestants: Contestant[] = [
    { name: "one DELETE, main thread", prepare, run: deleteAtOnce, finish },
    { name: "adaptive batches, main thread", prepare, run: deleteInBatches, finish },
    { name: "Leash: sqlite sweeper in a worker", prepare, run: sweep, finish },
  ];
  if (!writes) return contestants;
  return contestants.map((contestant) => ({
    ...contestant,
    run: whileWriting(contestant.run, rows),
  }));
}

function whileWriting(run: Contestant["run"], rows: number): Contestant["run"] {
  return async (path) => {
    using db = open(path);
    const update = db.prepare("UPDATE sessions SET value = ? WHERE id = ?");
    const timer = setInterval(() => update.run("changed", Math.ceil(Math.random() * rows)), 10);
    try {
      await run(path);
    } finally {
      clearInterval(timer);
    }
  };
}

/** Rows of about 120 bytes; those that have expired are spread by chance. */
function database(rows: number, expired: number, index: boolean): string {
  const path = `${Deno.makeTempDirSync({ prefix: "leash-bench-" })}/app.db`;
  using db = new DatabaseSync(path);
  db.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; " +
      "CREATE TABLE sessions (id INTEGER PRIMARY KEY, expires_at INTEGER, value TEXT); BEGIN",
  );
  const insert = db.prepare("INSERT INTO sessions (expires_at, value) VALUES (?, ?)");
  const now = Date.now();
  const value = "x".repeat(100);
  const order = Array.from({ length: rows }, (_, position) => position);
  for (let position = rows - 1; position > 0; position--) {
    const other = Math.floor(Math.random() * (position + 1));
    [order[position], order[other]] = [order[other]!, order[position]!];
  }
  for (const rank of order) insert.run(now + (rank - expired + 0.5) * 100_000, value);
  db.exec(`COMMIT; ${index ? "CREATE INDEX by_expiry ON sessions (expires_at);" : ""}`);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return path;
}

function deleteAtOnce(path: string): void {
  using db = open(path);
  db.prepare("DELETE FROM sessions WHERE expires_at <= ?").run(Date.now());
}

/** What one finds recommended: a batch at a time, sized to take 20 ms, and a breath in between. */
async function deleteInBatches(path: string): Promise<void> {
  using db = open(path);
  const statement = db.prepare(
    "DELETE FROM sessions WHERE rowid IN (SELECT rowid FROM sessions WHERE expires_at <= ? LIMIT ?)",
  );
  const now = Date.now();
  for (let size = 256;;) {
    const start = performance.now();
    if (statement.run(now, size).changes === 0) return;
    const took = performance.now() - start;
    size = Math.max(1, Math.round(size * Math.min(2, Math.max(0.5, TARGET / took))));
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

function open(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 5000 });
  db.exec("PRAGMA synchronous = NORMAL");
  return db;
}

function expectLeft(path: string, expected: number): void {
  {
    using db = new DatabaseSync(path);
    const left = db.prepare("SELECT count(*) AS n FROM sessions").get()!.n;
    if (left !== expected) {
      throw new Error(`Cannot trust the sweep: expected ${expected} rows: received ${left}`);
    }
  }
  Deno.removeSync(path.slice(0, -"/app.db".length), { recursive: true });
}
