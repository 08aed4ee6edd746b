/**
 * A process for one contestant, which runs a module of the benches. Its code is not checked, and `gc()`
 * is there.
 *
 * @param module From the root.
 * @param args What it is given.
 * @param options As those of `Deno.Command`; `v8Flags` beside `--expose-gc`.
 */
export function child(
  module: string,
  args: readonly string[],
  options: Omit<Deno.CommandOptions, "args" | "cwd" | "env"> & { v8Flags?: readonly string[] } = {},
): Deno.Command {
  const { v8Flags = [], ...rest } = options;
  // Where the bench itself runs without JSR, so does the child.
  const isOffline = import.meta.resolve("@std/assert").startsWith("file:");
  return new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      "--quiet",
      `--v8-flags=${["--expose-gc", ...v8Flags].join()}`,
      ...isOffline ? ["--import-map=tests/offline/import_map.json"] : [],
      module,
      ...args,
    ],
    cwd: new URL("..", import.meta.url),
    env: { NO_COLOR: "1" },
    ...rest,
  });
}
