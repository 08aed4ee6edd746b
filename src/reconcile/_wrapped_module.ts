import { TaskLoadError } from "../base/errors.ts";
import type { WorkerEvent } from "../pool/events.ts";
import type { WorkerPermissions } from "../pool/permissions.ts";

/** Named by a literal, so that `deno cache` and bundlers see it. Never called. */
export const entry = (): Promise<unknown> => import("./_reconcile_entry.ts");

/**
 * The module that workers load: the user's with `start` taken care of. Its imports are literal, so that
 * they are loaded with the rights of this process, and the worker itself needs none.
 */
export class WrappedModule {
  /** What workers load. */
  readonly url: string;
  readonly #module: string;

  /**
   * @param module The user's.
   * @param permissions What its workers may do.
   */
  constructor(module: string, permissions: WorkerPermissions | undefined) {
    this.#module = module;
    const runtime = JSON.stringify(new URL("./_reconcile_entry.ts", import.meta.url).href);
    const specifier = JSON.stringify(module);
    // A worker that waits for a server before it runs cannot be ended, so what is remote is loaded by
    // the worker itself, where it has the right to.
    const remote = /^https?:/.test(module) && (permissions ?? "inherit") === "inherit";
    const user = remote
      ? `const specifier = ${specifier};\nconst user = await import(specifier);\n`
      : `import * as user from ${specifier};\n`;
    const text = `import { reconcileWith } from ${runtime};\n${user}` +
      "export default reconcileWith(user);\n";
    this.url = `data:text/javascript,${encodeURIComponent(text)}`;
  }

  /** The same error, with the name of the user's module. */
  rename(error: unknown): unknown {
    if (!(error instanceof TaskLoadError) || error.module !== this.url) return error;
    const reason = error.message.slice(new TaskLoadError(this.url, "").message.length);
    return new TaskLoadError(this.#module, reason, { cause: error.cause });
  }

  /** The same event, with the name of the user's module. */
  renameIn(event: WorkerEvent): WorkerEvent {
    if (event.type !== "worker-load-failed") return event;
    return { ...event, error: this.rename(event.error) as TaskLoadError };
  }
}
