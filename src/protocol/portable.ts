/**
 * What can be carried to another process: the values of the structured clone algorithm but for shared
 * memory and the objects of the platform, which `node:v8` turns into empty ones without any error.
 *
 * @module
 */

/** Said of shared memory: what else there is for it. */
const SHARED =
  `is shared memory, which reaches no other process: use isolation "worker" or "thread" for it`;

type Class = abstract new (...args: never[]) => unknown;

let known: readonly Class[] | undefined;

/**
 * Made when it is first needed: Deno loads most of these classes at the first mention of them, which
 * would make every worker start 2 ms later.
 */
function hostClasses(): readonly Class[] {
  return known ??= [
    ...[Blob, CryptoKey, DOMException, Event, EventTarget, FormData, Headers, Request, Response],
    ...[ReadableStream, WritableStream, TransformStream, URL, URLSearchParams, URLPattern],
    ...[WebAssembly.Module, WebAssembly.Memory],
    ...[Promise, WeakMap, WeakRef, WeakSet],
  ];
}

/**
 * Looks for a part of the value that cannot be carried to another process.
 *
 * @param value Anything.
 * @returns Where it is and what it is, as in `.files[2] is a Blob`; `undefined` when there is none.
 */
export function findUnportable(value: unknown): string | undefined {
  const seen = new Set<unknown>();
  const queue: [string, unknown][] = [["", value]];
  // The queue grows while it is walked through: no value is too deep.
  for (const [path, value] of queue) {
    if (typeof value === "function") return `${path} is a function`;
    if (typeof value === "symbol") return `${path} is a symbol`;
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    if (ArrayBuffer.isView(value)) {
      if (value.buffer instanceof SharedArrayBuffer) return `${path} ${SHARED}`;
      continue;
    }
    if (value instanceof SharedArrayBuffer) return `${path} ${SHARED}`;
    const host = hostClasses().find((host) => value instanceof host);
    if (host !== undefined) return `${path} is a ${host.name}`;
    if (value instanceof Map) {
      for (const [key, inner] of value) {
        queue.push([`${path}.keys()`, key], [`${path}.get(…)`, inner]);
      }
    } else if (value instanceof Set) {
      for (const inner of value) queue.push([`${path}.values()`, inner]);
    } else if (Array.isArray(value)) {
      // Millions of numbers are no reason for millions of paths.
      value.forEach((inner, index) => {
        if (typeof inner === "object" || typeof inner === "function" || typeof inner === "symbol") {
          queue.push([`${path}[${index}]`, inner]);
        }
      });
    } else {
      for (const [key, inner] of Object.entries(value)) queue.push([`${path}.${key}`, inner]);
      if (value instanceof Error && "cause" in value) queue.push([`${path}.cause`, value.cause]);
    }
  }
  return undefined;
}
