import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { findUnportable } from "../../src/protocol/portable.ts";
import { deserialize, serialize } from "../../src/protocol/serialize.ts";

const circle: Record<string, unknown> = { name: "circle" };
circle.self = circle;

const PORTABLE: unknown[] = [
  undefined,
  null,
  1n,
  "text",
  new Date(0),
  /a+/g,
  new Map<unknown, unknown>([[1, new Set([2n])], [{ key: 1 }, undefined]]),
  new Uint8Array([1, 2]),
  new Float64Array([1.5]),
  new ArrayBuffer(8),
  [1, , 3],
  { deep: { er: [{ and: "deeper" }] } },
  circle,
  new RangeError("message", { cause: new TypeError("its cause") }),
  Object.create(null),
];

Deno.test("what can be carried to another process arrives as it was", () => {
  for (const value of PORTABLE) {
    assertEquals(findUnportable(value), undefined);
    const bytes = serialize(value) as Uint8Array<ArrayBuffer>;
    const copy = deserialize(bytes);
    if (value === circle) assert((copy as typeof circle).self === copy);
    else if (value instanceof Error) assertEquals((copy as Error).cause, value.cause);
    else assertEquals({ ...{ copy } }, { copy: structuredClone(value) });
  }
});

const UNPORTABLE: [value: unknown, problem: RegExp][] = [
  [() => {}, /^ is a function$/],
  [Symbol("s"), /is a symbol/],
  [{ a: [1, { b: () => {} }] }, /^\.a\[1\]\.b is a function$/],
  [new Map([["key", new Blob(["x"])]]), /^\.get\(…\) is a Blob$/],
  [new Map([[Symbol("s"), 1]]), /^\.keys\(\) is a symbol$/],
  [new Set([new URL("https://example.com")]), /is a URL/],
  [{ signal: AbortSignal.abort() }, /^\.signal is a EventTarget$/],
  [new SharedArrayBuffer(4), /^ is shared memory, .* use isolation "worker" or "thread"/],
  [
    { words: new Int32Array(new SharedArrayBuffer(4)) },
    /^\.words is shared memory, which reaches no other process/,
  ],
  [new DOMException("m", "AbortError"), /is a DOMException/],
  [new Error("m", { cause: { run: () => {} } }), /^\.cause\.run is a function$/],
  [[new ReadableStream()], /^\[0\] is a ReadableStream$/],
  [Promise.resolve(), /is a Promise/],
  [new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])), /is a Module/],
  [new File([], "name"), /is a Blob/],
];

Deno.test("what cannot be carried is named, with its place, and nothing is sent", () => {
  for (const [value, problem] of UNPORTABLE) {
    assertMatch(findUnportable(value) ?? "nothing found", problem);
    const error = assertThrows(() => serialize(value), DOMException);
    assertEquals(error.name, "DataCloneError");
  }
});

Deno.test("a million numbers are looked through without a path for each", () => {
  const started = performance.now();
  assertEquals(findUnportable({ list: Array.from({ length: 1_000_000 }, (_, i) => i) }), undefined);
  // A tenth of a second; this is for what looks at all of them again for each.
  assert(performance.now() - started < 60_000);
});
