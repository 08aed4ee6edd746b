import type { Launch } from "./transport.ts";

/**
 * The first module of a worker, as text. It imports the runtime and the task module by literal
 * specifiers: both are then loaded with the rights of whoever starts the worker, so that the worker
 * itself needs none.
 *
 * @param entry The URL of a module that exports `serve(...args, load)`.
 * @param args What `serve` is given first. It must be JSON.
 * @param launch The task module, and what its worker may do.
 * @returns JavaScript.
 */
export function trampoline(
  entry: string,
  args: readonly unknown[],
  { module, permissions }: Pick<Launch, "module" | "permissions">,
): string {
  const specifier = JSON.stringify(module);
  // Deno loads what a literal specifier names before the worker runs at all. While a server does
  // not answer, such a worker can neither speak nor be ended, so remote modules are loaded later,
  // from inside the worker, unless it lacks the rights to do so.
  const remote = /^https?:/.test(module) && (permissions ?? "inherit") === "inherit";
  const load = remote ? "() => import(specifier)" : `() => import(${specifier})`;
  return `import { serve } from ${JSON.stringify(entry)};\n` +
    (remote ? `const specifier = ${specifier};\n` : "") +
    `serve(${[...args.map((arg) => JSON.stringify(arg)), load].join(", ")});`;
}
