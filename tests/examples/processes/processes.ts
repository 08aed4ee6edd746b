/**
 * Keeps processes running as a folder of manifests says: for `web.json` with
 * `{ "command": ["sleep", "60"] }` there is one. One that dies is started again, one whose manifest
 * changes is replaced, and those that an earlier run of this program has left running are taken over.
 *
 *     deno run -A processes.ts <folder of manifests> <folder of notes>
 *
 * The notes say which process belongs to which manifest. For Linux.
 *
 * @module
 */

import { shutdownSignal } from "@leash/leash";
import { reconcileState, type StateContext } from "@leash/leash/reconcile";

/** A process, as its note says. */
interface Process {
  readonly pid: number;
  /** Tells it from another one that was given the same number later. */
  readonly started: string;
  readonly command: readonly string[];
}

/** Runs until the signal aborts. The processes go on. */
export async function keepRunning(
  manifests: string,
  notes: string,
  signal: AbortSignal,
): Promise<void> {
  const reconciler = reconcileState<string[], Process>({
    name: "processes",
    async desired() {
      const all = await readAll<{ command: string[] }>(manifests);
      return all.map(([key, { command }]) => [key, command]);
    },
    actual: async () => (await readAll<Process>(notes)).filter(([, process]) => isAlive(process)),
    // Those that were taken over are no children of this program, so that nobody tells of their death.
    refresh: 1_000,
    matches: (command, process) => isSame(command, process.command),
    async apply(key, command, before, ctx) {
      if (before !== undefined) {
        // After a restart of this program nothing is certain, but this can be seen.
        if (isSame(command, before.command) && isAlive(before)) return before;
        await stop(before, ctx);
      }
      const child = start(command);
      void child.status.then(() => reconciler.refresh());
      const process = { pid: child.pid, started: startOf(child.pid), command };
      const note = `${notes}/${key}.json`;
      // At once: if this program dies before it has a note, nobody knows of the process.
      Deno.writeTextFileSync(`${note}.new`, JSON.stringify(process));
      Deno.renameSync(`${note}.new`, note);
      return process;
    },
    async remove(key, process, ctx) {
      if (process !== undefined) await stop(process, ctx);
      await Deno.remove(`${notes}/${key}.json`);
    },
  });
  await reconciler.run(signal);
}

function start([program, ...args]: readonly string[]): Deno.ChildProcess {
  const nothing = { stdin: "null", stdout: "null", stderr: "null" } as const;
  const child = new Deno.Command(program!, { args, detached: true, ...nothing }).spawn();
  // It may live longer than this program.
  child.unref();
  return child;
}

/** Ends a process, politely first, and resolves when it is gone. */
async function stop(process: Process, { signal }: StateContext): Promise<void> {
  for (let tries = 0; isAlive(process); tries++) {
    signal.throwIfAborted();
    try {
      Deno.kill(process.pid, tries < 50 ? "SIGTERM" : "SIGKILL");
    } catch {
      // It has ended this very moment.
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isAlive({ pid, started }: Process): boolean {
  return started !== "" && startOf(pid) === started;
}

/** When a process was started, as the system says; nothing if there is none, or it has ended. */
function startOf(pid: number): string {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // After the name of the program, which may be anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "" : fields[19]!;
  } catch {
    return "";
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

async function readAll<Content>(folder: string): Promise<[key: string, content: Content][]> {
  const found: [string, Content][] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".json")) continue;
    found.push([name.slice(0, -5), JSON.parse(await Deno.readTextFile(`${folder}/${name}`))]);
  }
  return found;
}

if (import.meta.main) {
  const [manifests, notes] = Deno.args;
  if (manifests === undefined || notes === undefined) {
    throw new TypeError("Cannot start: expected the folders of the manifests and of the notes");
  }
  await keepRunning(manifests, notes, shutdownSignal());
}
