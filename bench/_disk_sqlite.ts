import { DatabaseSync, type StatementSync } from "node:sqlite";
import { every, type Scheduler } from "../mod.ts";
import { bucketTable, liveBuckets, type SqliteSweepInput } from "../src/sweepers/sqlite.ts";
import type { Contestant } from "./_rounds.ts";

const TARGET = 20;
/** How far the expiries of two rows lie apart: more than the benchmark takes. */
const STEP = 3_600_000;

/** What lies in the database. */
export interface SqliteContent {
  readonly rows: number;
  readonly expired: number;
  /** There is an index on the expiry. Buckets need none. */
  readonly index: boolean;
  /** The keys are random texts, as those of sessions and caches are. */
  readonly textKeys: boolean;
  /** The main thread writes a row every 10 ms meanwhile. */
  readonly writes: boolean;
}

/** The same rows, swept in the ways that people do it. The first one is what the others are compared with. */
export async function sqliteContestants(
  scheduler: Scheduler,
  content: SqliteContent,
): Promise<Contestant[]> {
  const { rows, expired, writes } = content;
  const byRow = { table: "sessions", column: "expires_at" };
  const byBucket = { table: "sessions", buckets: true };
  const task = scheduler.add<typeof import("../src/sweepers/sqlite.ts")>(
    new URL("../src/sweepers/sqlite.ts", import.meta.url),
    {
      name: `sqlite ${Object.values(content).join(" ")}`,
      schedule: every({ hours: 1 }),
      idleTimeout: Infinity,
      input: { path: "", ...byRow },
    },
  );
  const sweep = (options: Omit<SqliteSweepInput, "path">) => async (path: string) => {
    const result = await task.trigger({ path, ...options });
    if (result.outcome !== "succeeded") throw result.error;
  };
  // What is measured is a sweep by a worker that is there already.
  for (const options of [byRow, byBucket]) {
    const warmUp = database({ ...content, rows: 2, expired: 1 }, options === byBucket);
    await sweep(options)(warmUp);
    expectLeft(warmUp, 1);
  }

  // Made once: to fill a database takes far longer than to sweep it.
  const [plain, cut] = [database(content, false), database(content, true)];
  templates.push(plain, cut);
  const contestant = (
    name: string,
    run: Contestant["run"],
    inBuckets = false,
  ): Contestant => ({
    name,
    prepare: () => copy(inBuckets ? cut : plain),
    run: writes ? whileWriting(run) : run,
    finish: (path) => expectLeft(path, rows - expired),
  });
  return [
    contestant("one DELETE, main thread", deleteAtOnce),
    contestant("adaptive batches, main thread", deleteInBatches),
    contestant("Leash: sqlite sweeper in a worker", sweep(byRow)),
    contestant("table per bucket: DROP, main thread", dropBuckets, true),
    contestant("table per bucket: Leash", sweep(byBucket), true),
  ];
}

function whileWriting(run: Contestant["run"]): Contestant["run"] {
  return async (path) => {
    using db = open(path);
    const table = tables(db).at(-1)!;
    const ids = db.prepare(`SELECT id FROM ${table}`).all().map(({ id }) => id!);
    const update = db.prepare(`UPDATE ${table} SET value = ? WHERE id = ?`);
    const timer = setInterval(
      () => update.run("changed", ids[Math.floor(Math.random() * ids.length)]!),
      10,
    );
    try {
      await run(path);
    } finally {
      clearInterval(timer);
    }
  };
}

/** Rows of about 120 bytes; those that have expired are spread by chance, but for buckets. */
function database(
  { rows, expired, index, textKeys }: SqliteContent,
  inBuckets: boolean,
): string {
  const path = `${Deno.makeTempDirSync({ prefix: "leash-bench-" })}/app.db`;
  using db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN");
  const now = Date.now();
  const value = "x".repeat(100);
  const order = Array.from({ length: rows }, (_, position) => position);
  for (let position = rows - 1; position > 0; position--) {
    const other = Math.floor(Math.random() * (position + 1));
    [order[position], order[other]] = [order[other]!, order[position]!];
  }
  // So many rows share a table that there are ten that have expired, or one of the few.
  const width = Math.max(1, Math.min(expired, rows / 20)) * STEP;
  const first = now - now % width;
  const inserts = new Map<string, StatementSync>();
  for (const rank of order) {
    const expiry = (inBuckets ? first : now) + (rank - expired + 0.5) * STEP;
    const table = inBuckets ? bucketTable("sessions", expiry, { width }) : "sessions";
    let insert = inserts.get(table);
    if (insert === undefined) {
      const key = textKeys ? "TEXT" : "INTEGER";
      db.exec(`CREATE TABLE ${table} (id ${key} PRIMARY KEY, expires_at INTEGER, value TEXT)`);
      insert = db.prepare(`INSERT INTO ${table} VALUES (?, ?, ?)`);
      inserts.set(table, insert);
    }
    insert.run(textKeys ? crypto.randomUUID() : null, expiry, value);
  }
  db.exec("COMMIT");
  if (index && !inBuckets) db.exec("CREATE INDEX by_expiry ON sessions (expires_at)");
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return path;
}

const templates: string[] = [];

/** Removes what the contestants have been given copies of. */
export function removeTemplates(): void {
  for (const path of templates.splice(0)) removeDatabase(path);
}

function removeDatabase(path: string): void {
  Deno.removeSync(path.slice(0, -"/app.db".length), { recursive: true });
}

function copy(template: string): string {
  const path = `${Deno.makeTempDirSync({ prefix: "leash-bench-" })}/app.db`;
  Deno.copyFileSync(template, path);
  return path;
}

/** The tables that hold rows, those with the latest expiry last. */
function tables(db: DatabaseSync): string[] {
  return db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()
    .map(({ name }) => String(name));
}

function deleteAtOnce(path: string): void {
  using db = open(path);
  db.prepare("DELETE FROM sessions WHERE expires_at <= ?").run(Date.now());
}

function dropBuckets(path: string): void {
  using db = open(path);
  const live = liveBuckets(db, "sessions");
  for (const table of tables(db)) if (!live.includes(table)) db.exec(`DROP TABLE ${table}`);
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
    const left = tables(db).reduce(
      (sum, table) => sum + Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()!.n),
      0,
    );
    if (left !== expected) {
      throw new Error(`Cannot trust the sweep: expected ${expected} rows: received ${left}`);
    }
  }
  removeDatabase(path);
}
