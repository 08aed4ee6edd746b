import type { DatabaseSync } from "node:sqlite";
import type { SqliteCommonPlan } from "./_sqlite_input.ts";
import type { Patience } from "./_sqlite_patience.ts";
import type { SqliteSweepResult } from "./_sqlite_result.ts";

/** How much is done at first, before it is known how long that takes. */
export const FIRST_BATCH = 256;
const LARGEST_BATCH = 1_000_000;
const CHECKPOINT_EVERY = 10;
const AUTO_VACUUM_INCREMENTAL = 2;

/** Keeps the files of a database small while a sweep goes on, and at its end. */
export class Upkeep {
  readonly #db: DatabaseSync;
  readonly #plan: SqliteCommonPlan;
  readonly #patience: Patience;
  readonly #result: SqliteSweepResult;
  #hasLog = false;
  /** After how many batches a checkpoint left nothing in the log. */
  #cleanAfter = 0;

  /**
   * @param db The database.
   * @param plan What to do, and how gently.
   * @param patience What waits for locks.
   * @param result Where it is counted.
   */
  constructor(
    db: DatabaseSync,
    plan: SqliteCommonPlan,
    patience: Patience,
    result: SqliteSweepResult,
  ) {
    this.#db = db;
    this.#plan = plan;
    this.#patience = patience;
    this.#result = result;
  }

  /** Learns what the database is like, and refuses what cannot be done with it. */
  inspect(): void {
    this.#hasLog = this.pragma("journal_mode") === "wal";
    // Others need not wait until a commit is on the disk: at worst, what has gone comes back when
    // the power fails, and goes with the next sweep. Without a log the file itself could break.
    if (this.#hasLog) this.#db.exec("PRAGMA synchronous = NORMAL");
    if (this.#plan.vacuum && this.pragma("auto_vacuum") !== AUTO_VACUUM_INCREMENTAL) {
      throw new TypeError(
        `Cannot vacuum ${this.#plan.path}: it must have been made with PRAGMA auto_vacuum = ` +
          `INCREMENTAL: received auto_vacuum = ${this.pragma("auto_vacuum")}`,
      );
    }
  }

  /** After a batch. */
  afterBatch(): void {
    if (!this.#plan.dryRun && this.#result.batches % CHECKPOINT_EVERY === 0) this.#checkpoint();
  }

  /** At the end. */
  async finish(hasRemoved: boolean): Promise<void> {
    if (this.#plan.dryRun) return;
    if (this.#plan.vacuum === "incremental") await this.#vacuum();
    const { batches, freedPages } = this.#result;
    // The last batch may have come after the last checkpoint.
    if (freedPages > 0 || (hasRemoved && this.#cleanAfter < batches)) this.#checkpoint();
  }

  /** The value of a pragma. */
  pragma(name: string): unknown {
    return Object.values(this.#db.prepare(`PRAGMA ${name}`).get()!)[0];
  }

  async #vacuum(): Promise<void> {
    const { batchTarget, pause } = this.#plan;
    let size = FIRST_BATCH;
    let free = Number(this.pragma("freelist_count"));
    while (free > 0) {
      let took = 0;
      await this.#patience.run(() => {
        const start = performance.now();
        this.#db.prepare(`PRAGMA incremental_vacuum(${size})`).all();
        took = performance.now() - start;
      });
      const left = Number(this.pragma("freelist_count"));
      if (left >= free) return;
      this.#result.freedPages += free - left;
      free = left;
      size = adapt(size, took, batchTarget);
      await this.#patience.rest(pause);
    }
  }

  /** Where somebody is in the way for longer than the busy timeout, the next one may go through. */
  #checkpoint(): void {
    const { checkpoint } = this.#plan;
    if (checkpoint === false || !this.#hasLog) return;
    // A passive one first: it copies without the write lock, which leaves little for the other one.
    let row = this.#db.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
    if (checkpoint === "truncate") {
      row = this.#db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
    }
    if (row?.busy !== 0) return void this.#result.blockedCheckpoints++;
    this.#result.checkpoints++;
    this.#cleanAfter = this.#result.batches;
  }
}

/** At most twice or half the size of the last batch, so that one odd batch does little harm. */
export function adapt(size: number, took: number, target: number): number {
  const factor = Math.min(2, Math.max(0.5, target / took));
  return Math.min(LARGEST_BATCH, Math.max(1, Math.round(size * factor)));
}
