import { memorySplit } from "./_memory.ts";
import { KINDS, type PermissionScope, type WorkerPermissions } from "./permissions.ts";
import type { Launch } from "./transport.ts";

/**
 * The flags of `deno run` for a child that is to run a task: exactly the permissions that were asked
 * for, the imports of this program, the limit of memory, and what the user adds.
 */
export function processFlags({ permissions, memoryLimit, denoFlags = [] }: Launch): string[] {
  return [
    "--quiet",
    "--no-prompt",
    ...permissionFlags(permissions ?? "inherit"),
    ...configFlags(denoFlags),
    ...(memoryLimit === undefined ? [] : [memoryFlag(memoryLimit)]),
    ...denoFlags,
  ];
}

/**
 * What is not allowed is denied in so many words: where no flag speaks of permissions, Deno takes a
 * `deno run` that comes from `node:child_process` for one of Node's, and gives it all of them. Imports
 * are the exception, since the hosts that Deno allows by itself may be where the task comes from.
 */
function permissionFlags(permissions: WorkerPermissions): string[] {
  return KINDS.flatMap((kind) => {
    const scope = permissions === "inherit"
      ? isHeld(kind)
      : permissions === "none"
      ? false
      : permissions[kind];
    if (scope === true) return [`--allow-${kind}`];
    if (isList(scope) && scope.length > 0) {
      return [`--allow-${kind}=${scope.map(flagValue).join(",")}`];
    }
    return kind === "import" ? [] : [`--deny-${kind}`];
  });
}

function isList(scope: PermissionScope | undefined): scope is readonly (string | URL)[] {
  return Array.isArray(scope);
}

function flagValue(value: string | URL): string {
  const text = value instanceof URL
    ? value.protocol === "file:" ? decodeURIComponent(value.pathname) : value.href
    : value;
  if (!text.includes(",")) return text;
  throw new TypeError(
    `Cannot give a process a permission for ${text}: Deno has no way to write a comma in the value ` +
      `of a flag. Give the folder`,
  );
}

/** Deno tells whether this process may do everything of a kind, and does not tell any lists. */
function isHeld(kind: typeof KINDS[number]): boolean {
  const status = Deno.permissions.querySync({ name: kind } as Deno.PermissionDescriptor);
  if (!status.partial) return status.state === "granted";
  throw new Deno.errors.NotCapable(
    `Cannot give a process the permission ${kind} of this one: some of it is denied, and Deno does ` +
      `not tell what. Give the task permissions of its own`,
  );
}

/**
 * The child is to find what this program finds: the configuration beside its main module or above
 * it. The flags that this program was started with cannot be seen from inside.
 */
function configFlags(denoFlags: readonly string[]): string[] {
  if (denoFlags.some((flag) => /^(--config|--no-config|-c)\b/.test(flag))) return [];
  return found ??= findConfig();
}

let found: string[] | undefined;

function findConfig(): string[] {
  try {
    const main = new URL(Deno.mainModule);
    // Then the child does what Deno does by itself: it looks into the working directory.
    if (main.protocol !== "file:") return [];
    for (let folder = new URL(".", main);; folder = new URL("..", folder)) {
      for (const name of ["deno.json", "deno.jsonc"]) {
        const file = new URL(name, folder);
        if (exists(file)) return [`--config=${decodeURIComponent(file.pathname)}`];
      }
      if (folder.pathname === "/" || folder.href === new URL("..", folder).href) break;
    }
    return ["--no-config"];
  } catch {
    // This program may not look.
    return [];
  }
}

function exists(file: URL): boolean {
  try {
    return Deno.statSync(file).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function memoryFlag(bytes: number): string {
  const { young, old } = memorySplit(bytes);
  // The young generation has three semi-spaces.
  const semi = Math.max(1, Math.floor(young / 3));
  return `--v8-flags=--max-old-space-size=${Math.floor(old)},--max-semi-space-size=${semi}`;
}
