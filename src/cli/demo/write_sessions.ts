import { DatabaseSync } from "node:sqlite";
import type { TaskContext } from "../../worker/context.ts";

/** Which rows to write. */
export interface WriteSessionsInput {
  path: string;
  count: number;
  /** Instants of expiry are spread evenly around the present, this far to both sides. */
  spread: number;
}

const BATCH = 1_000;

/** Writes rows of sessions, some of which have expired already. */
export default function writeSessions(
  { path, count, spread }: WriteSessionsInput,
  ctx: TaskContext,
): { written: number } {
  // With a timeout, since the sweeper may hold the lock for a moment.
  const db = new DatabaseSync(path, { timeout: 5_000 });
  try {
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    db.exec(
      "CREATE TABLE IF NOT EXISTS sessions (id INTEGER PRIMARY KEY, user TEXT, expires_at INTEGER);" +
        "CREATE INDEX IF NOT EXISTS sessions_expire ON sessions (expires_at)",
    );
    const insert = db.prepare("INSERT INTO sessions (user, expires_at) VALUES (?, ?)");
    for (let start = 0; start < count; start += BATCH) {
      ctx.checkpoint();
      const end = Math.min(count, start + BATCH);
      db.exec("BEGIN IMMEDIATE");
      for (let index = start; index < end; index++) {
        const expiresAt = Date.now() + Math.round((Math.random() * 2 - 1) * spread);
        insert.run(`user ${index}`, expiresAt);
      }
      db.exec("COMMIT");
      ctx.progress(end, count);
    }
    return { written: count };
  } finally {
    // An open transaction is rolled back with it.
    db.close();
  }
}
