import { RUN_OUTCOMES, type RunOutcome } from "../scheduler/run_result.ts";
import { controllerMetrics } from "./_controller_metrics.ts";
import { metric, quantiles, type Sample } from "./_text_format.ts";
import { type MetricsSource, sortOut } from "./measured.ts";

/** The states of a worker that are worth a number when it is 0. */
const STATES = ["launching", "loading", "idle", "running", "stopping", "stuck"] as const;

/**
 * The numbers of schedulers, pools and controllers in the text format of Prometheus, for an endpoint of
 * yours. A scheduler brings the pools and controllers that it owns.
 *
 * Times are in seconds, as is the custom there.
 *
 * @param sources What to measure.
 * @returns The text. Serve it with the content type `text/plain; version=0.0.4`.
 *
 * @example
 * ```ts
 * import { Scheduler } from "@leash/leash";
 * import { metricsText } from "@leash/leash/observe";
 * import { assertStringIncludes } from "@std/assert";
 *
 * const owner = new AbortController();
 * await using scheduler = new Scheduler({ signal: owner.signal });
 * const handler = () =>
 *   new Response(metricsText(scheduler), {
 *     headers: { "content-type": "text/plain; version=0.0.4" },
 *   });
 * assertStringIncludes(await handler().text(), 'leash_workers{state="stuck"} 0');
 * ```
 */
export function metricsText(...sources: readonly MetricsSource[]): string {
  const { tasks, pools, controllers } = sortOut(sources);
  const workers = [...tasks, ...pools, ...controllers].flatMap(({ workers }) => workers);
  const all = tasks.map((task) => ({ task: task.name, nextDue: task.nextDue, ...task.stats }));
  type Stats = typeof all[number];

  const each = (value: (stats: Stats) => number | undefined): Sample[] =>
    all.flatMap((stats) => {
      const number = value(stats);
      return number === undefined ? [] : [{ labels: { task: stats.task }, value: number }];
    });
  const seconds = (milliseconds: number | undefined): number | undefined =>
    milliseconds === undefined ? undefined : milliseconds / 1_000;
  const durations = all.flatMap(({ task, duration }) => quantiles({ task }, duration));
  return [
    metric(
      "leash_runs_total",
      "counter",
      "Runs that have ended, by outcome.",
      all.flatMap(({ task, outcomes }) =>
        RUN_OUTCOMES.map((outcome: RunOutcome) => ({
          labels: { task, outcome },
          value: outcomes[outcome],
        }))
      ),
    ),
    metric("leash_runs_missed_total", "counter", "Due times unused.", each((s) => s.missed)),
    metric("leash_runs_late_total", "counter", "Runs that began late.", each((s) => s.late)),
    metric("leash_run_retries_total", "counter", "Attempts tried again.", each((s) => s.retries)),
    metric("leash_run_duration_seconds", "gauge", "Durations of the last runs.", durations),
    metric(
      "leash_task_last_success_timestamp_seconds",
      "gauge",
      "When a run last succeeded.",
      each((stats) => seconds(stats.lastSuccess)),
    ),
    metric(
      "leash_task_next_due_timestamp_seconds",
      "gauge",
      "When the task is due next.",
      each((stats) => seconds(stats.nextDue)),
    ),
    metric(
      "leash_workers",
      "gauge",
      "Workers that live, by state.",
      STATES.map((state) => ({
        labels: { state },
        value: workers.filter((worker) => worker.state === state).length,
      })),
    ),
    metric(
      "leash_pool_runs",
      "gauge",
      "Runs of a pool that wait, and runs that workers have.",
      pools.flatMap(({ name: pool, queued, running }) => [
        { labels: { pool, state: "queued" }, value: queued },
        { labels: { pool, state: "running" }, value: running },
      ]),
    ),
    controllerMetrics(controllers),
  ].join("");
}
