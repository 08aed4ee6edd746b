const TASKS = "/proc/self/task";

/**
 * A thread of this process, as Linux shows it. Deno itself cannot say whether a worker that was
 * terminated runs on, or whether one that lives ever yields, so this is looked at as well where it
 * can be read: on Linux, by a process that has all permissions.
 */
export class Thread {
  readonly #file: string;

  constructor(id: string) {
    this.#file = `${TASKS}/${id}/stat`;
  }

  /** Whether it is at work, and for how many milliseconds it was; `undefined` when it has ended. */
  look(): { readonly running: boolean; readonly worked: number } | undefined {
    try {
      const stat = Deno.readTextFileSync(this.#file);
      const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      // In ticks of 10 ms, for the program and for the kernel.
      const worked = 10 * (Number(fields[10]) + Number(fields[11]));
      return { running: state === "R", worked };
    } catch {
      return undefined;
    }
  }
}

/** A thread that ends needs less work than this for it, in milliseconds. */
const LAST_WORK = 60;

/** Any thread waits for the kernel now and then. */
const MOSTLY = 0.8;

/** So many looks in a row at a thread that does nothing are enough to say so. */
const STILL = 8;

/** What a thread did while it was looked at, again and again. */
export class ThreadWatch {
  #samples = 0;
  #running = 0;
  /** Looks in a row, up to now, at which it was not at work and had not been since the one before. */
  #still = 0;
  #first = 0;
  #worked = 0;

  /** Looks at the thread; nothing happens if it has ended. */
  sample(thread: Thread): void {
    const now = thread.look();
    if (now === undefined) return;
    if (this.#samples++ === 0) this.#first = now.worked;
    if (now.running) this.#running++;
    const worked = now.worked - this.#first;
    // On a busy machine it may have begun late, or still be on its way to where it is blocked.
    this.#still = now.running || worked !== this.#worked ? 0 : this.#still + 1;
    this.#worked = worked;
  }

  /**
   * `"spinning"`: always at work. `"blocked"`: not any more. `"unclear"`: it seems to spin, but the machine
   * gave it too little time to be sure, or it was not looked at often enough yet. Else it is a thread like any other.
   */
  get verdict(): "spinning" | "blocked" | "unclear" | undefined {
    // On a busy machine it may be long before there was a chance to look often enough.
    if (this.#samples < 5) return this.#samples === 0 ? undefined : "unclear";
    if (this.#still >= STILL) return "blocked";
    if (this.#running < MOSTLY * this.#samples) return undefined;
    return this.#worked >= LAST_WORK ? "spinning" : "unclear";
  }
}

/**
 * Calls `make` and looks which thread came of it.
 *
 * @returns The result, and the thread if there is one and no doubt about which.
 */
export function withThread<Result>(make: () => Result): [result: Result, thread?: Thread] {
  const before = workerThreads();
  const result = make();
  if (before === undefined) return [result];
  const added = [...workerThreads() ?? []].filter(([id]) => !before.has(id));
  // Another test file of `deno test --parallel` may have started one in the same moment.
  if (new Set(added.map(([, name]) => name)).size !== 1) return [result];
  return [result, new Thread(oldest(added))];
}

/** A thread that a worker starts is called like the worker until it has given itself a name. */
function oldest(threads: readonly (readonly [id: string, name: string])[]): string {
  return `${Math.min(...threads.map(([id]) => Number(id)))}`;
}

/** The thread of a worker whose number is known. */
export function threadOf(worker: number): Thread | undefined {
  const threads = [...workerThreads() ?? []].filter(([, name]) => name === `worker-${worker}`);
  return threads.length === 0 ? undefined : new Thread(oldest(threads));
}

/** The threads that are workers, with their names; `undefined` where one cannot look. */
function workerThreads(): Map<string, string> | undefined {
  if (Deno.build.os !== "linux") return undefined;
  try {
    if (Deno.permissions.querySync({ name: "read" }).state !== "granted") return undefined;
    const threads = new Map<string, string>();
    for (const { name: id } of Deno.readDirSync(TASKS)) {
      const name = nameOf(id);
      if (name?.startsWith("worker-")) threads.set(id, name);
    }
    return threads;
  } catch {
    return undefined;
  }
}

function nameOf(id: string): string | undefined {
  try {
    return Deno.readTextFileSync(`${TASKS}/${id}/comm`).trim();
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}
