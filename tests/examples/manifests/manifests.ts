/**
 * Keeps a folder of files as a folder of manifests says: `web.json` with `{ "text": "…" }` becomes
 * `web.txt`. Manifests that are added, edited or removed are followed at once; files that an earlier run
 * left behind are taken over, and files that somebody edits or removes by hand are mended.
 *
 *     deno run -A manifests.ts <folder of manifests> <folder of files>
 *
 * @module
 */

import { shutdownSignal, WorkerPool } from "@leash/leash";
import { reconcileState, type StateEvent } from "@leash/leash/reconcile";

/** Where things are. */
export interface ManifestOptions {
  manifests: string;
  files: string;
  signal: AbortSignal;
  /** The module that writes a file. */
  writer?: URL;
  onEvent?: (event: StateEvent) => void;
}

/** Runs until the signal aborts. */
export async function followManifests(options: ManifestOptions): Promise<void> {
  const { manifests, files, signal, onEvent } = options;
  const writer = options.writer ?? new URL("./write_file.ts", import.meta.url);
  await using pool = new WorkerPool<typeof import("./write_file.ts")>(writer, {
    signal,
    name: "write-file",
    size: { max: 2 },
    ...(onEvent === undefined ? {} : { onEvent: () => {} }),
  });
  using desired = new Manifests(manifests);
  const pathOf = (key: string): string => `${files}/${key}.txt`;
  const reconciler = reconcileState<string, string>({
    name: "manifests",
    desired: () => desired.read(),
    actual: () => readAll(files, /^(.+)\.txt$/),
    matches: (wanted, there) => wanted === there,
    async apply(key, text, _actual, ctx) {
      await pool.run({ path: pathOf(key), text }, { signal: ctx.signal });
      return text;
    },
    async remove(key) {
      await Deno.remove(pathOf(key)).catch((error) => {
        // A removal that broke off may have been done.
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      });
    },
    ...(onEvent === undefined ? {} : { onEvent }),
  });
  using there = Deno.watchFs(files);
  // What it writes itself is among that, and looked at again for nothing.
  void eachChange(there, () => reconciler.refresh());
  await reconciler.run(signal);
}

/** What the manifests say. They are read again only when something has changed. */
class Manifests implements Disposable {
  readonly #folder: string;
  readonly #watcher: Deno.FsWatcher;
  #texts = new Map<string, string>();
  #hasChanged = true;

  constructor(folder: string) {
    this.#folder = folder;
    this.#watcher = Deno.watchFs(folder);
    void eachChange(this.#watcher, () => this.#hasChanged = true);
  }

  /** A manifest that cannot be read is an error: then nothing is removed. */
  async read(): Promise<Map<string, string>> {
    if (!this.#hasChanged) return this.#texts;
    // Before reading: what changes meanwhile is read the next time.
    this.#hasChanged = false;
    try {
      const manifests = await readAll(this.#folder, /^(.+)\.json$/);
      this.#texts = new Map(manifests.map(([key, json]) => [key, String(JSON.parse(json).text)]));
    } catch (error) {
      this.#hasChanged = true;
      throw error;
    }
    return this.#texts;
  }

  [Symbol.dispose](): void {
    this.#watcher.close();
  }
}

async function eachChange(watcher: Deno.FsWatcher, changed: () => void): Promise<void> {
  for await (const { kind } of watcher) if (kind !== "access") changed();
}

async function readAll(folder: string, pattern: RegExp): Promise<[key: string, text: string][]> {
  const found: [string, string][] = [];
  for await (const { name } of Deno.readDir(folder)) {
    const key = pattern.exec(name)?.[1];
    if (key !== undefined) found.push([key, await Deno.readTextFile(`${folder}/${name}`)]);
  }
  return found;
}

if (import.meta.main) {
  const [manifests, files] = Deno.args;
  if (manifests === undefined || files === undefined) {
    throw new TypeError("Cannot start: expected the folders of the manifests and of the files");
  }
  await followManifests({ manifests, files, signal: shutdownSignal() });
}
