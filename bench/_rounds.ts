/** One way to do a job. */
export interface Contestant {
  /** What stands in the table. */
  readonly name: string;
  /** Makes what the job needs; not measured. */
  prepare(): string;
  /** Does the job. */
  run(subject: string): Promise<void> | void;
  /** Makes sure that the job was done, and removes what is left; not measured. */
  finish(subject: string): void;
}

/** What one contestant did in one round. */
export interface Measurement {
  /** How long the job took, in milliseconds. */
  readonly took: number;
  /** The longest time for which the main thread did not answer, in milliseconds. */
  readonly stall: number;
}

/** All rounds of one contestant. */
export interface Standing {
  /** What stands in the table. */
  readonly name: string;
  /** One for each round. */
  readonly rounds: Measurement[];
}

/** A middle value, and how far the others lie from it. */
export interface Spread {
  /** The median. */
  readonly median: number;
  /** The least. */
  readonly min: number;
  /** The greatest. */
  readonly max: number;
}

/**
 * Lets all contestants do the job in each round, one after the other, each round in another order:
 * what disturbs the machine for a while disturbs all of them.
 */
export async function rounds(contestants: Contestant[], count: number): Promise<Standing[]> {
  const standings = contestants.map(({ name }): Standing => ({ name, rounds: [] }));
  for (let round = 0; round < count; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const index = (round + turn) % contestants.length;
      standings[index]!.rounds.push(await measure(contestants[index]!));
    }
  }
  return standings;
}

async function measure(contestant: Contestant): Promise<Measurement> {
  const subject = contestant.prepare();
  // The stall of the preparation must not be counted.
  await new Promise((resolve) => setTimeout(resolve, 20));
  let stall = 0;
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    stall = Math.max(stall, now - last - 1);
    last = now;
  };
  const timer = setInterval(look, 1);
  const start = performance.now();
  await contestant.run(subject);
  const took = performance.now() - start;
  look();
  clearInterval(timer);
  contestant.finish(subject);
  return { took, stall: Math.max(0, stall) };
}

/** The spread of some values. */
export function spread(values: number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1
    ? sorted[middle]!
    : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}
