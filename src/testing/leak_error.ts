/** One thing that outlived the test or step that made it. */
export interface Leak {
  /** What it is: `"scheduler"`, `"worker"`, `"Worker"`, `"child process"`, `"interval"`, … */
  readonly what: string;
  /** Which one: the name of a task or worker, a process id, a delay. */
  readonly name: string | undefined;
  /** How it is, as in `"running"` or `"stuck"`, and whether it is seen to spin. */
  readonly state: string;
  /** The test and step that made it, where that is known. */
  readonly step: string | undefined;
  /** Where it was made: the lines outside of Leash and Deno, innermost first. */
  readonly made: readonly string[];
  /** What belongs to it and is alive as well, such as the workers of a scheduler. */
  readonly holds: readonly Leak[];
}

/** What a test fails with that left something behind. */
export class LeakError extends Error {
  /** Tells it from other errors. */
  override readonly name = "LeakError";
  /** What was left behind; at least one. */
  readonly leaks: readonly Leak[];

  /**
   * Makes the error.
   *
   * @param where The test or step that ends.
   * @param leaks What was left behind; at least one.
   */
  constructor(where: string, leaks: readonly Leak[]) {
    const count = leaks.length === 1 ? "1 thing is" : `${leaks.length} things are`;
    super(
      `Cannot end ${where}: ${count} still alive:\n` +
        leaks.map((leak, index) => `  ${index + 1}. ${describe(leak, where)}`).join("\n"),
    );
    this.leaks = leaks;
  }
}

function describe(leak: Leak, where: string): string {
  const lines = [title(leak)];
  for (const part of leak.holds) lines.push(`it holds: ${title(part)}`);
  if (leak.step !== undefined && leak.step !== where) lines.push(`made in ${leak.step}`);
  lines.push(...leak.made.map((frame, index) => `${index === 0 ? "made" : "    "} at ${frame}`));
  return lines.join("\n       ");
}

function title({ what, name, state }: Leak): string {
  return `${what}${name === undefined ? "" : ` ${name}`} (${state})`;
}
