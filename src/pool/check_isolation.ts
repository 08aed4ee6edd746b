import { type Isolation, ISOLATIONS } from "./isolation.ts";
import { checkPermissions, type WorkerPermissions } from "./permissions.ts";

/** A runtime needs some memory for itself. */
const LEAST_MEMORY = 16 * 2 ** 20;

/** What a worker is to be. */
export interface IsolationOptions {
  readonly isolation?: Isolation;
  readonly permissions?: WorkerPermissions;
  /** In bytes. */
  readonly memoryLimit?: number;
  /** Further flags of `deno run`. */
  readonly denoFlags?: readonly string[];
}

/** The same, checked. */
export interface CheckedIsolation {
  readonly isolation: Isolation;
  readonly permissions: WorkerPermissions | undefined;
  readonly memoryLimit: number | undefined;
  readonly denoFlags: readonly string[] | undefined;
}

/**
 * Checks that these go together.
 *
 * @param options What the user gave.
 * @param task Whose they are.
 * @param problem Makes the error from the end of its message.
 */
export function checkIsolation(
  options: IsolationOptions,
  task: string,
  problem: (why: string) => TypeError,
): CheckedIsolation {
  const { isolation = "worker", permissions, memoryLimit, denoFlags } = options;
  if (!ISOLATIONS.includes(isolation)) {
    throw problem(
      `expected ${ISOLATIONS.join(", ")} as isolation: received ${Deno.inspect(isolation)}`,
    );
  }
  if (isolation === "thread" && permissions !== undefined && permissions !== "inherit") {
    throw problem(
      `a thread may do what its process may: use isolation "process" or "worker" with permissions: ` +
        `received ${Deno.inspect(permissions)}`,
    );
  }
  checkPermissions(permissions, task);
  if (memoryLimit !== undefined) {
    if (isolation === "worker") {
      throw problem(`memoryLimit needs isolation "thread" or "process": received "worker"`);
    }
    if (!(memoryLimit >= LEAST_MEMORY && memoryLimit < Infinity)) {
      throw problem(
        `expected at least ${LEAST_MEMORY} bytes as memoryLimit: received ${
          Deno.inspect(memoryLimit)
        }`,
      );
    }
  }
  if (denoFlags !== undefined) {
    if (isolation !== "process") {
      throw problem(`denoFlags needs isolation "process": received "${isolation}"`);
    }
    if (!Array.isArray(denoFlags) || !denoFlags.every(isHarmlessFlag)) {
      throw problem(
        `expected flags such as "--cached-only" as denoFlags, and permissions as permissions: ` +
          `received ${Deno.inspect(denoFlags)}`,
      );
    }
  }
  return { isolation, permissions, memoryLimit, denoFlags };
}

/** A long flag that gives no permission. */
function isHarmlessFlag(flag: unknown): boolean {
  return typeof flag === "string" && /^--[a-z]/.test(flag) &&
    !/^--(allow|deny|ignore|permission)/.test(flag);
}
