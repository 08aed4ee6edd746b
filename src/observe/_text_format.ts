import type { DurationSummary } from "../base/durations.ts";

/** One number, and what tells it from others of the same name. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * One metric in the text format of Prometheus.
 *
 * @param name Its name.
 * @param type `"counter"` or `"gauge"`.
 * @param help What it says, in one line.
 * @param samples Its numbers; none makes no text.
 */
export function metric(
  name: string,
  type: "counter" | "gauge",
  help: string,
  samples: readonly Sample[],
): string {
  if (samples.length === 0) return "";
  const lines = samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}

/** Durations as samples in seconds; none where there are none. */
export function quantiles(
  labels: Readonly<Record<string, string>>,
  durations: DurationSummary | undefined,
): Sample[] {
  if (durations === undefined) return [];
  const { p50, p95, max } = durations;
  return ([["0.5", p50], ["0.95", p95], ["1", max]] as const).map(([quantile, value]) => ({
    labels: { ...labels, quantile },
    value: value / 1_000,
  }));
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escape(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escape(value: string): string {
  return value.replace(/\\/g, "\\\\").replace(/\n/g, "\\n").replace(/"/g, '\\"');
}
