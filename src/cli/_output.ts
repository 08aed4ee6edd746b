import { colored, type Paint, plain } from "./_style.ts";

/** Where a command writes. */
export interface Output {
  /** Whether a person watches, on something that can move its cursor. */
  readonly isTerminal: boolean;
  readonly paint: Paint;
  /** Aborted when nobody reads any more, as after `| head`. Then writing does nothing. */
  readonly lost: AbortSignal;
  /** The size of the terminal. */
  size(): { columns: number; rows: number };
  write(text: string): void;
}

const ENCODER = new TextEncoder();

/** The standard output of this process. */
export function standardOutput(): Output {
  const isTerminal = Deno.stdout.isTerminal() && readEnv("TERM") !== "dumb";
  const lost = new AbortController();
  return {
    isTerminal,
    paint: isTerminal && !Deno.noColor ? colored : plain,
    lost: lost.signal,
    size() {
      try {
        const { columns, rows } = Deno.consoleSize();
        // A terminal that nobody told its size says 0.
        if (columns > 0 && rows > 0) return { columns, rows };
      } catch {
        // It is no terminal.
      }
      return { columns: 80, rows: 24 };
    },
    write(text) {
      if (lost.signal.aborted) return;
      let rest = ENCODER.encode(text);
      try {
        // One call may take only a part of it.
        while (rest.length > 0) rest = rest.subarray(Deno.stdout.writeSync(rest));
      } catch (error) {
        // Nobody can be told on the output itself, and the next line would fail as well.
        lost.abort(error);
      }
    },
  };
}

/** Asked first, because a terminal would show a prompt for the permission otherwise. */
function readEnv(variable: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  return state === "granted" ? Deno.env.get(variable) : undefined;
}
