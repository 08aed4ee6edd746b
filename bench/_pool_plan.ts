import { type ContestantName, PEERS } from "./_pool_contestant.ts";
import type { Job } from "./_pool_jobs.ts";

/** What Leash is to reach. */
export type Bar =
  /** Compared with another contestant in the same round, or with the best of the peers. */
  | { readonly than: ContestantName | "peer"; readonly atLeast: number }
  | { readonly than: ContestantName | "peer"; readonly atMost: number }
  /** In the unit of the measure. */
  | { readonly atMost: number };

/** One measure, with everything that its table needs. */
export interface Plan {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly isMoreBetter: boolean;
  readonly job: Job;
  readonly rounds: number;
  readonly contestants: readonly ContestantName[];
  readonly bars: readonly Bar[];
  /** What the second value of the samples is. */
  readonly extra?: string;
}

const POOLS: readonly ContestantName[] = ["leash", "batched", "posted", ...PEERS];
const figures = (n: number) => n.toLocaleString("en");

/** All measures. In the short form, amounts and times are a tenth, and few rounds are made. */
export function plans(isShort: boolean): Plan[] {
  const share = isShort ? 0.1 : 1;
  const rounds = isShort ? 1 : 5;
  const flood = (what: "echo" | "hand" | "clone", outstanding: number): Job => ({
    kind: "flood",
    what,
    outstanding,
    time: 700 * share,
  });
  const echoes = (outstanding: number, bars: Bar[]): Plan => ({
    name: `echo-${outstanding / 1_000}k`,
    title: `echo of a number, ${figures(outstanding * share)} outstanding`,
    unit: "tasks/s",
    isMoreBetter: true,
    job: flood("echo", outstanding * share),
    rounds,
    contestants: POOLS,
    bars,
  });
  const bytes = (name: string, title: string, job: Job): Plan => ({
    name,
    title,
    unit: "tasks/s",
    isMoreBetter: true,
    job,
    rounds,
    contestants: POOLS,
    bars: [{ than: "peer", atLeast: 1 }],
  });
  const kill = (isolation: "thread" | "process", atMost: number): Plan => ({
    name: `abort-${isolation}`,
    title: `from the abort of a busy loop to its death, isolation "${isolation}", grace period 0`,
    unit: "ms",
    isMoreBetter: false,
    job: { kind: "kill", isolation },
    rounds: isShort ? 1 : 9,
    contestants: ["leash"],
    bars: [{ atMost }],
  });
  const tasks = 100_000 * share;
  return [
    echoes(10_000, [{ than: "peer", atLeast: 8 }, { than: "batched", atLeast: 0.6 }]),
    echoes(1_000, [{ than: "peer", atLeast: 8 }]),
    {
      name: "single",
      title: "one task at a time, round trip",
      unit: "µs",
      isMoreBetter: false,
      // Many short rounds: whether a core is awake when it is needed changes from one to the next.
      job: { kind: "single", time: isShort ? 40 : 150 },
      rounds: isShort ? 1 : 15,
      contestants: ["leash", "batched", "posted", "bare", ...PEERS],
      bars: [{ than: "bare", atMost: 1.15 }, { than: "peer", atMost: 1 }],
    },
    {
      name: "stall",
      title:
        `longest delay of a 1 ms timer of the parent, more than idle, while ${figures(tasks)} ` +
        `echoes drain that were asked for at once`,
      unit: "ms",
      isMoreBetter: false,
      job: { kind: "stall", tasks },
      rounds: isShort ? 1 : 3,
      contestants: POOLS,
      bars: [{ atMost: 20 }, { than: "peer", atMost: 1 }],
      extra: "to ask for them, ms",
    },
    bytes("transfer", "1 MiB transferred there, 8 outstanding", flood("hand", 8)),
    bytes("clone", "64 KiB cloned there and back, 16 outstanding", flood("clone", 16)),
    {
      name: "start",
      title: "creation of the pool to its first result",
      unit: "ms",
      isMoreBetter: false,
      job: { kind: "start" },
      rounds: isShort ? 1 : 9,
      contestants: ["leash", "posted", "bare", ...PEERS],
      bars: [{ than: "bare", atMost: 1.3 }],
    },
    {
      name: "abort",
      title: "from the abort of a task that waits for ever until nothing of it is left",
      unit: "ms",
      isMoreBetter: false,
      job: { kind: "abort" },
      rounds: isShort ? 1 : 9,
      contestants: ["leash", "bare", "piscina", "workerpool", "poolifier"],
      bars: [{ atMost: 30 }],
    },
    kill("thread", 150),
    kill("process", 50),
  ];
}
