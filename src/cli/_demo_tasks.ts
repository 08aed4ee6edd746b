import type { ScheduledTask } from "../scheduler/scheduled_task.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import { canKillBusyWorker } from "../pool/can_kill_busy_worker.ts";
import type { Isolation } from "../pool/isolation.ts";
import { after } from "../schedule/after.ts";
import { every } from "../schedule/every.ts";
import { Failure } from "./_failure.ts";

/** How big the demo is. */
export interface DemoSize {
  readonly dir: string;
  readonly files: number;
  readonly rows: number;
  /** Add the task that never yields. */
  readonly loop: boolean;
  /** Give each worker the least permissions. */
  readonly sandbox: boolean;
}

/** Files of this age, and rows this long after they were made, have expired, in milliseconds. */
const TTL = 5_000;
const SECOND = { seconds: 1 };

/**
 * Never called. It puts the task modules in this module's graph, for `deno cache` and `deno compile`.
 */
export const _modules = (): Promise<unknown>[] => [
  import("../sweepers/files.ts"),
  import("../sweepers/sqlite.ts"),
  import("./demo/write_files.ts"),
  import("./demo/write_sessions.ts"),
  import("./demo/flaky.ts"),
  import("./demo/loops_for_ever.ts"),
];

/**
 * Adds the tasks of the demo, makes the files and the rows, and then starts the sweepers.
 *
 * @throws {Failure} When the files or the rows could not be made.
 */
export async function startDemo(
  scheduler: Scheduler,
  signal: AbortSignal,
  { dir, files, rows, loop, sandbox }: DemoSize,
): Promise<void> {
  const cache = `${dir}/cache`;
  const path = `${dir}/sessions.db`;
  const here = (file: string): URL => new URL(file, import.meta.url);
  const only = (...paths: string[]) => sandbox ? { read: paths, write: paths } : undefined;
  const nothing = sandbox ? "none" as const : undefined;

  const writeFiles = scheduler.add<typeof import("./demo/write_files.ts")>(
    here("./demo/write_files.ts"),
    {
      name: "write-files",
      schedule: every(SECOND),
      input: { dir: cache, count: Math.ceil(files / 40), maxAge: 2 * TTL },
      permissions: only(cache),
      paused: true,
    },
  );
  const sweepFiles = scheduler.add<typeof import("../sweepers/files.ts")>(
    here("../sweepers/files.ts"),
    {
      name: "sweep-files",
      schedule: every(SECOND),
      input: { dir: cache, olderThan: TTL },
      permissions: only(cache),
      paused: true,
    },
  );
  const writeSessions = scheduler.add<typeof import("./demo/write_sessions.ts")>(
    here("./demo/write_sessions.ts"),
    {
      name: "write-sessions",
      schedule: every(SECOND),
      input: { path, count: Math.ceil(rows / 40), spread: TTL },
      permissions: only(dir),
      paused: true,
    },
  );
  const sweepSessions = scheduler.add<typeof import("../sweepers/sqlite.ts")>(
    here("../sweepers/sqlite.ts"),
    {
      name: "sweep-sessions",
      schedule: every(SECOND),
      input: { path, table: "sessions", column: "expires_at" },
      permissions: only(path),
      paused: true,
    },
  );
  scheduler.add(here("./demo/flaky.ts"), {
    name: "flaky",
    schedule: every(SECOND),
    retry: { maxAttempts: 3, backoff: { initial: 100 } },
    permissions: nothing,
  });

  const [isolation, ...made] = await Promise.all([
    isolationForLoops(sandbox),
    writeFiles.trigger({ dir: cache, count: files, maxAge: 2 * TTL }),
    writeSessions.trigger({ path, count: rows, spread: TTL }),
  ]);
  if (signal.aborted) return;
  for (const { task, outcome, error } of made) {
    if (outcome !== "succeeded") {
      const why = error instanceof Error ? error.message : String(error);
      throw new Failure(`Cannot show the demo: ${task} ${outcome}: ${why}`, { cause: error });
    }
  }
  const tasks: ScheduledTask<never>[] = [writeFiles, sweepFiles, writeSessions, sweepSessions];
  for (const task of tasks) task.resume();
  if (loop) {
    scheduler.add(here("./demo/loops_for_ever.ts"), {
      name: "loops-for-ever",
      schedule: after({ seconds: 2 }),
      timeout: { seconds: 2 },
      gracePeriod: { milliseconds: 500 },
      isolation,
      permissions: nothing,
    });
  }
}

/** What a task that never yields should run in: the first that this Deno can end all the same. */
async function isolationForLoops(sandbox: boolean): Promise<Isolation> {
  const can = await canKillBusyWorker();
  // A thread may do whatever its process may.
  if (can.thread && !sandbox) return "thread";
  return can.process ? "process" : "worker";
}
