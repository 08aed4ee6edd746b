/**
 * What one kind of access is limited to: `true` everything, `false` nothing, a list of just these.
 */
export type PermissionScope = boolean | readonly (string | URL)[];

/**
 * What a worker may do. `"inherit"`: all that the parent may; `"none"`: nothing; an object: just
 * what it names, nothing else.
 *
 * Giving any value needs `"unstable": ["worker-options"]` in the `deno.json` of the program, or the
 * flag `--unstable-worker-options`: without it Deno ends the process with exit code 70.
 */
export type WorkerPermissions = "inherit" | "none" | {
  /** Environment variables. */
  env?: PermissionScope;
  /** Native libraries. */
  ffi?: PermissionScope;
  /** Hosts of remote modules that may be imported. */
  import?: PermissionScope;
  /** Hosts, as `example.com` or `example.com:443`. */
  net?: PermissionScope;
  /** Files and directories to read. */
  read?: PermissionScope;
  /** Programs to run. */
  run?: PermissionScope;
  /** Facts about the system, such as `hostname`. */
  sys?: PermissionScope;
  /** Files and directories to write. */
  write?: PermissionScope;
};

/** The kinds of access. */
export const KINDS = ["env", "ffi", "import", "net", "read", "run", "sys", "write"] as const;
type Kind = typeof KINDS[number];

/**
 * Checks permissions before Deno sees them: Deno ignores keys that it does not know, which would
 * leave the worker without a permission and its author without a message.
 *
 * @param permissions What the user gave.
 * @param task Whose they are, for the message.
 * @throws {TypeError} When it is no set of permissions.
 * @throws {Deno.errors.NotCapable} When the parent does not have what it would give.
 */
export function checkPermissions(permissions: WorkerPermissions | undefined, task: string): void {
  if (permissions === undefined || permissions === "inherit" || permissions === "none") return;
  const problem = (why: string): TypeError =>
    new TypeError(`Cannot use the permissions of task "${task}": ${why}`);
  if (typeof permissions !== "object" || permissions === null || Array.isArray(permissions)) {
    throw problem(
      `expected "inherit", "none" or an object: received ${Deno.inspect(permissions)}`,
    );
  }
  for (const [key, scope] of Object.entries(permissions)) {
    if (!KINDS.includes(key as Kind)) {
      throw problem(`expected only the keys ${KINDS.join(", ")}: received ${key}`);
    }
    if (scope === undefined || scope === false) continue;
    if (scope === true) {
      checkHeld(key as Kind, undefined, task);
      continue;
    }
    if (!Array.isArray(scope) || !scope.every((x) => typeof x === "string" || x instanceof URL)) {
      throw problem(
        `expected true, false or an array of strings as ${key}: received ${Deno.inspect(scope)}`,
      );
    }
    for (const value of scope) checkHeld(key as Kind, value, task);
  }
}

/** Where a descriptor of Deno's holds the value that narrows it. */
const FIELD: Record<Kind, string> = {
  env: "variable",
  ffi: "path",
  import: "host",
  net: "host",
  read: "path",
  run: "command",
  sys: "kind",
  write: "path",
};

function checkHeld(kind: Kind, value: string | URL | undefined, task: string): void {
  const descriptor = { name: kind, ...(value === undefined ? {} : { [FIELD[kind]]: value }) };
  const { state } = Deno.permissions.querySync(descriptor as Deno.PermissionDescriptor);
  if (state === "granted") return;
  const what = value === undefined ? kind : `${kind} of ${value}`;
  throw new Deno.errors.NotCapable(
    `Cannot give task "${task}" the permission ${what}: this process does not have it itself. ` +
      `Start it with --allow-${kind}${value === undefined ? "" : `=${value}`}`,
  );
}
