/** Tells whether a pattern fits a file or folder. */
export type Matcher = (relativePath: string, name: string) => boolean;

/**
 * Compiles a glob. The rules are those of `.gitignore` as far as they go: without a `/` the pattern
 * is compared with the name at any depth, else with the whole path below the root; a leading dot is
 * nothing special. `matchesGlob` of `node:path` is not used, because its `*` passes over dot files,
 * and an `exclude` that silently passes over a file gets that file deleted.
 *
 * @param pattern The glob.
 * @param option The option that it stands in, for the message.
 */
export function compileGlob(pattern: unknown, option: "include" | "exclude"): Matcher {
  if (typeof pattern !== "string" || pattern === "") {
    throw bad(pattern, option, "a pattern must be a string that is not empty");
  }
  let glob = pattern;
  if (glob.includes("\\")) {
    throw bad(pattern, option, "separate folders by / on every system, and write [*] for a real *");
  }
  if (glob.startsWith("!")) {
    throw bad(pattern, option, "! does not negate; use the other one of include and exclude");
  }
  if (glob.endsWith("/")) {
    if (option === "include") {
      throw bad(pattern, option, `it names a folder; write ${pattern}** for the files below it`);
    }
    glob = glob.slice(0, -1);
  }
  const anchored = glob.includes("/");
  if (glob.startsWith("/")) glob = glob.slice(1);
  if (glob.split("/").some((part) => part === "" || part === "." || part === "..")) {
    throw bad(pattern, option, "it is relative to dir, without the parts . and .. and without //");
  }
  const regExp = toRegExp(glob, (why) => bad(pattern, option, why));
  return anchored ? (path) => regExp.test(path) : (_path, name) => regExp.test(name);
}

function bad(pattern: unknown, option: string, why: string): TypeError {
  return new TypeError(`Cannot sweep files: ${option}: ${why}: received ${Deno.inspect(pattern)}`);
}

function toRegExp(glob: string, error: (why: string) => Error): RegExp {
  let source = "";
  let braces = 0;
  for (let index = 0; index < glob.length; index++) {
    const char = glob[index]!;
    if (char === "*" && glob[index + 1] === "*") {
      const after = glob[index + 2];
      const alone = /^[/{,]?$/.test(glob[index - 1] ?? "") && /^[/},]?$/.test(after ?? "");
      if (!alone) throw error("** must stand alone between two /");
      source += after === "/" ? "(?:[^/]+/)*" : ".+";
      index += after === "/" ? 2 : 1;
    } else if (char === "*") {
      source += "[^/]*";
    } else if (char === "?") {
      source += "[^/]";
    } else if (char === "[") {
      const end = glob.indexOf("]", index + 2);
      if (end === -1) throw error("a [ is not closed by a ]");
      source += characterClass(glob.slice(index + 1, end), error);
      index = end;
    } else if (char === "{") {
      source += "(?:";
      braces++;
    } else if (char === "," && braces > 0) {
      source += "|";
    } else if (char === "}" && braces > 0) {
      source += ")";
      braces--;
    } else {
      source += char.replace(/[\\^$.*+?()[\]{}|]/, "\\$&");
    }
  }
  if (braces > 0) throw error("a { is not closed by a }");
  return new RegExp(`^${source}$`, "s");
}

function characterClass(inside: string, error: (why: string) => Error): string {
  const negated = /^[!^]/.test(inside);
  const members = (negated ? inside.slice(1) : inside).replace(/[\\[\]^]/g, "\\$&");
  if (members === "" || members.includes("/")) throw error("a [ ] must hold characters but no /");
  const source = `(?!/)[${negated ? "^" : ""}${members}]`;
  try {
    new RegExp(source);
  } catch {
    throw error(`[${inside}] is no set of characters`);
  }
  return source;
}
