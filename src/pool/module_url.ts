/**
 * @param module What the user gave for a module.
 * @param doing What cannot be done without it, as in `add a task`.
 * @returns Its URL.
 * @throws {TypeError} When it is no URL.
 */
export function moduleUrl(module: string | URL, doing: string): string {
  if (module instanceof URL) return module.href;
  if (typeof module === "string" && URL.canParse(module)) return new URL(module).href;
  throw new TypeError(
    `Cannot ${doing}: expected the URL of its module, as in new URL("./sweep.ts", ` +
      `import.meta.url): received ${Deno.inspect(module)}`,
  );
}

/** The module's file name without its extension. */
export function moduleName(url: string): string {
  const { pathname, protocol } = new URL(url);
  if (protocol === "data:" || protocol === "blob:") return "task";
  return pathname.split("/").at(-1)!.replace(/\.[cm]?[jt]sx?$/, "") || "task";
}
