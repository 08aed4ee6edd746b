import { type ContestantName, CONTESTANTS, PEERS } from "./_pool_contestant.ts";
import type { Sample } from "./_pool_jobs.ts";
import type { Bar, Plan } from "./_pool_plan.ts";
import { type Spread, spread } from "./_rounds.ts";

/** How one contestant fared in one measure. */
export interface Standing {
  readonly name: ContestantName;
  readonly samples: Sample[];
  /** Why there is no more. */
  problem?: { readonly kind: "failed" | "missing"; readonly text: string };
}

/** One line of a table. */
export interface Row {
  readonly contestant: string;
  /** Times the best peer; from the same rounds. */
  readonly ratio?: number;
  readonly value?: Spread;
  readonly extra?: number;
  readonly problem?: string;
}

/** A bar, and whether Leash is above it. */
export interface Verdict {
  readonly bar: string;
  readonly measured?: string;
  readonly isMet?: boolean;
  readonly verdict: string;
}

/** The peer that is hardest to beat. */
export function bestPeer(plan: Plan, standings: Standing[]): Standing | undefined {
  const sign = plan.isMoreBetter ? -1 : 1;
  return standings
    .filter(({ name, samples }) => PEERS.includes(name) && samples.length > 0)
    .map((standing) => ({ standing, value: valueOf(standing).median * sign }))
    .sort((one, other) => one.value - other.value)[0]?.standing;
}

/** The lines of the table. */
export function toRows(plan: Plan, standings: Standing[]): Row[] {
  const best = bestPeer(plan, standings);
  return standings.map((standing) => {
    const contestant = CONTESTANTS[standing.name].title;
    if (standing.problem !== undefined) return { contestant, problem: standing.problem.text };
    const extras = standing.samples.flatMap(({ extra }) => extra ?? []);
    return {
      contestant,
      ...best && { ratio: ratioOf(standing, best) },
      value: valueOf(standing),
      ...extras.length > 0 && { extra: spread(extras).median },
    };
  });
}

/** What Leash has reached. */
export function toVerdicts(plan: Plan, standings: Standing[]): Verdict[] {
  return plan.bars.map((bar) => judge(plan, bar, standings));
}

function judge(plan: Plan, bar: Bar, standings: Standing[]): Verdict {
  const isLeast = "atLeast" in bar;
  const limit = "atLeast" in bar ? bar.atLeast : bar.atMost;
  const sign = isLeast ? "≥" : "≤";
  const leash = standings.find(({ name }) => name === "leash");
  const other = "than" in bar
    ? bar.than === "peer"
      ? bestPeer(plan, standings)
      : standings.find(({ name }) => name === bar.than)
    : undefined;
  const title = !("than" in bar)
    ? `${sign} ${limit} ${plan.unit}`
    : `${sign} ${limit}× ${bar.than === "peer" ? "the best peer" : CONTESTANTS[bar.than].title}` +
      (bar.than === "peer" && other ? ` (${CONTESTANTS[other.name].title})` : "");
  if (leash === undefined) return { bar: title, verdict: "Leash did not take part" };
  if (leash.problem !== undefined) return { bar: title, verdict: leash.problem.text };
  if ("than" in bar && (other === undefined || other.problem !== undefined)) {
    return { bar: title, verdict: "nothing to compare with" };
  }
  const value = other === undefined ? valueOf(leash).median : ratioOf(leash, other);
  const isMet = isLeast ? value >= limit : value <= limit;
  const off = Math.abs(value - limit);
  return {
    bar: title,
    measured: other === undefined ? `${figure(value)} ${plan.unit}` : `${figure(value)}×`,
    isMet,
    verdict: isMet
      ? "met"
      : `MISSED by ${
        other === undefined ? `${figure(off)} ${plan.unit}` : `${figure(off / limit * 100)} %`
      }`,
  };
}

function valueOf({ samples }: Standing): Spread {
  return spread(samples.map(({ value }) => value));
}

/** The median of the ratios within a round. */
function ratioOf(one: Standing, other: Standing): number {
  // Below 0.1 a delay is a rounding error of the timer.
  const at = ({ samples }: Standing, round: number) => Math.max(samples[round]!.value, 0.1);
  const count = Math.min(one.samples.length, other.samples.length);
  return spread(Array.from({ length: count }, (_, n) => at(one, n) / at(other, n))).median;
}

/** A number with three digits that count, or all before the point. */
export function figure(value: number): string {
  return value >= 100
    ? Math.round(value).toLocaleString("en")
    : String(Number(value.toPrecision(3)));
}
