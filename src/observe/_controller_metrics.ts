import type { DurationSummary } from "../base/durations.ts";
import type { MeasuredController } from "./measured.ts";
import { metric, quantiles, type Sample } from "./_text_format.ts";

/** What a controller counts by outcome, and what the label says. */
const OUTCOMES = {
  succeeded: "succeeded",
  requeueAfter: "requeue-after",
  pollBackoff: "poll-backoff",
  failed: "failed",
  terminal: "terminal",
  timedOut: "timed-out",
  crashed: "crashed",
  cancelled: "cancelled",
  aborted: "aborted",
} as const;

/** The metrics of controllers; they mean what those of controller-runtime mean. */
export function controllerMetrics(controllers: readonly MeasuredController[]): string {
  const each = (value: (controller: MeasuredController) => number): Sample[] =>
    controllers.map((measured) => ({
      labels: { controller: measured.name },
      value: value(measured),
    }));
  const summaries = (
    value: (controller: MeasuredController) => DurationSummary | undefined,
  ): Sample[] =>
    controllers.flatMap((measured) => quantiles({ controller: measured.name }, value(measured)));
  const seconds = ({ running }: MeasuredController): number[] =>
    running.map(({ runningFor }) => runningFor / 1_000);
  return [
    metric(
      "leash_reconciles_total",
      "counter",
      "Runs of keys that have ended, by outcome.",
      controllers.flatMap(({ name: controller, stats }) =>
        Object.entries(OUTCOMES).map(([counter, outcome]) => ({
          labels: { controller, outcome },
          value: stats[counter as keyof typeof OUTCOMES],
        }))
      ),
    ),
    metric(
      "leash_reconciles_stuck_total",
      "counter",
      "Runs of keys whose worker could not be ended.",
      each(({ stats }) => stats.stuck),
    ),
    metric(
      "leash_reconciles_running",
      "gauge",
      "Keys that are being reconciled.",
      each(({ running }) => running.length),
    ),
    metric(
      "leash_reconcile_longest_running_seconds",
      "gauge",
      "For how long the oldest of them has been running.",
      each((controller) => Math.max(0, ...seconds(controller))),
    ),
    metric(
      "leash_reconcile_unfinished_seconds",
      "gauge",
      "For how long all of them together have been running.",
      each((controller) => seconds(controller).reduce((sum, one) => sum + one, 0)),
    ),
    metric(
      "leash_reconcile_duration_seconds",
      "gauge",
      "Durations of the last runs of keys.",
      summaries(({ stats }) => stats.duration),
    ),
    metric(
      "leash_queue_depth",
      "gauge",
      "Keys that wait for their turn.",
      each(({ queued }) => queued),
    ),
    metric(
      "leash_queue_adds_total",
      "counter",
      "Adds that queued a key, or will.",
      each(({ stats }) => stats.queue.added),
    ),
    metric(
      "leash_queue_retries_total",
      "counter",
      "Adds with a delay.",
      each(({ stats }) => stats.queue.retried),
    ),
    metric(
      "leash_queue_wait_seconds",
      "gauge",
      "How long the last keys waited after they could have been reconciled.",
      summaries(({ stats }) => stats.waited),
    ),
    metric(
      "leash_stale_reads_total",
      "counter",
      "Keys put off because what they would read was stale.",
      each(({ stats }) => stats.staleReads),
    ),
    metric(
      "leash_source_failures_total",
      "counter",
      "Times that a source threw.",
      each(({ stats }) => stats.sourceFailures),
    ),
  ].join("");
}
