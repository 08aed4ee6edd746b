import { dirname, parse, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Directory } from "./_directory.ts";

/** Folders whose loss breaks a machine, whoever asks for the sweep. */
const SYSTEM = [
  "/Applications",
  "/Library",
  "/System",
  "/Users",
  "/bin",
  "/boot",
  "/dev",
  "/etc",
  "/home",
  "/lib",
  "/lib64",
  "/opt",
  "/private",
  "/private/etc",
  "/private/var",
  "/proc",
  "/root",
  "/run",
  "/sbin",
  "/srv",
  "/sys",
  "/usr",
  "/var",
];

/** The home of some user, for a worker that may not read `HOME`. */
const HOMES = [
  /^\/(?:home|Users)\/[^/]+$/,
  /^[A-Z]:\\(?:Users(?:\\[^\\]+)?|Windows|Program Files.*)$/i,
];

/** Turns the option `dir` into an absolute path. */
export function toPath(dir: string): string {
  return resolve(/^file:\/\//i.test(dir) ? fileURLToPath(dir) : dir);
}

/**
 * Opens the root of a sweep.
 *
 * @throws {Deno.errors.NotFound} When there is nothing.
 * @throws {Deno.errors.NotADirectory} When it is no folder.
 * @throws {RangeError} When it is the root of the file system, a home directory or a folder of the
 * operating system, or holds one of them.
 */
export function openRoot(path: string): Directory {
  let real: string;
  let info: Deno.FileInfo;
  try {
    real = Deno.realPathSync(path);
    info = Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      throw new Deno.errors.NotFound(`Cannot sweep ${path}: there is no such folder`);
    }
    if (error instanceof Deno.errors.NotCapable) {
      throw new Deno.errors.NotCapable(
        `Cannot sweep ${path}: the task needs the permissions { read: [dir], write: [dir] }: ` +
          `received ${error.message}`,
      );
    }
    throw error;
  }
  if (!info.isDirectory) {
    throw new Deno.errors.NotADirectory(`Cannot sweep ${path}: it is no folder`);
  }
  if (isDangerous(real)) {
    throw new RangeError(
      `Cannot sweep ${path}: it is, or holds, the root of a file system, a home directory or a ` +
        `part of the operating system; name a folder made for what is to be swept: received ${real}`,
    );
  }
  return {
    path,
    real,
    relative: "",
    depth: 0,
    parent: undefined,
    dev: info.dev,
    ino: info.ino,
    changedAt: info.mtime?.getTime() ?? null,
    left: 0,
    isRead: false,
    isReplaced: false,
  };
}

function isDangerous(real: string): boolean {
  if (parse(real).root === real || SYSTEM.includes(real)) return true;
  if (HOMES.some((home) => home.test(real))) return true;
  return homes().some((home) => isAtOrAbove(real, home));
}

function isAtOrAbove(folder: string, home: string): boolean {
  for (let path = home; path !== dirname(path); path = dirname(path)) {
    if (path === folder) return true;
  }
  return false;
}

function homes(): string[] {
  return ["HOME", "USERPROFILE"].flatMap((variable) => {
    // Asked first, because a terminal would show a prompt otherwise.
    const { state } = Deno.permissions.querySync({ name: "env", variable });
    const home = state === "granted" ? Deno.env.get(variable) : undefined;
    if (home === undefined || home === "") return [];
    try {
      return [resolve(home), Deno.realPathSync(home)];
    } catch {
      return [resolve(home)];
    }
  });
}
