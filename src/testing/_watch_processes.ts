import dc from "node:diagnostics_channel";
import { watch, workerBeingMade } from "./_scope.ts";

interface NodeProcess {
  readonly pid?: number;
  readonly exitCode: number | null;
  readonly signalCode: string | null;
  readonly spawnargs: string[];
}

const RUNS = "running";

/** Watches every child process started through Deno or `node:child_process` from now on. */
export function watchProcesses(): Disposable {
  const Command = Deno.Command;
  const { prototype } = Command;
  const { spawn, output } = prototype;
  const names = new WeakMap<Deno.Command, string>();
  const Named = new Proxy(Command, {
    construct(target, args, newTarget) {
      const command = Reflect.construct(target, args, newTarget);
      names.set(command, commandLine(args));
      return command;
    },
  });
  const watchedSpawn = function (this: Deno.Command): Deno.ChildProcess {
    const child = spawn.call(this);
    const name = names.get(this);
    seen(`${child.pid}${name === undefined ? "" : ` ${name}`}`, child.status);
    return child;
  };
  const watchedOutput = function (this: Deno.Command): Promise<Deno.CommandOutput> {
    const result = output.call(this);
    seen(names.get(this) ?? "", result);
    return result;
  };
  Deno.Command = Named;
  prototype.spawn = watchedSpawn;
  prototype.output = watchedOutput;
  dc.subscribe("child_process", seenByNode);
  return {
    [Symbol.dispose]: () => {
      dc.unsubscribe("child_process", seenByNode);
      // Somebody else's may be in their places by now. Ours then watch nothing any more.
      if (Deno.Command === Named) Deno.Command = Command;
      if (prototype.spawn === watchedSpawn) prototype.spawn = spawn;
      if (prototype.output === watchedOutput) prototype.output = output;
    },
  };
}

function seen(name: string, end: Promise<unknown>): void {
  if (workerBeingMade() !== undefined) return;
  let ended = false;
  const note = (): void => void (ended = true);
  end.then(note, note);
  watch({ what: "child process", name: () => name, state: () => ended ? undefined : RUNS });
}

/** The module's exports cannot be replaced, but it tells of each process, before it is started. */
function seenByNode(message: unknown): void {
  if (workerBeingMade() !== undefined) return;
  const { process } = message as { process: NodeProcess };
  watch({
    what: "child process",
    name: () => `${process.pid} ${process.spawnargs.join(" ")}`,
    state: () =>
      // Without a number it could not be started.
      process.pid === undefined || process.exitCode !== null || process.signalCode !== null
        ? undefined
        : RUNS,
  });
}

function commandLine([command, options]: unknown[]): string {
  const { args = [] } = (options ?? {}) as Deno.CommandOptions;
  return [command, ...args].join(" ");
}
