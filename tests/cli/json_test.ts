import { assert, assertEquals } from "@std/assert";
import { toJson } from "../../src/cli/_json.ts";

Deno.test("toJson() keeps what makes an error an error", () => {
  const cause = new TypeError("deeper");
  const error = Object.assign(new RangeError("no luck", { cause }), { code: "E_LUCK", tries: 3 });
  const parsed = JSON.parse(toJson({ error }));
  const { stack, ...rest } = parsed.error;
  assert(stack.startsWith("RangeError: no luck\n"), stack);
  assert(rest.cause.stack.includes("json_test.ts"), rest.cause.stack);
  delete rest.cause.stack;
  assertEquals(rest, {
    name: "RangeError",
    message: "no luck",
    code: "E_LUCK",
    tries: 3,
    cause: { name: "TypeError", message: "deeper" },
  });
});

Deno.test("toJson() keeps the name of a DOMException and the errors of an AggregateError", () => {
  const parsed = JSON.parse(
    toJson([
      new DOMException("too slow", "TimeoutError"),
      new AggregateError([new Error("a")], "b"),
    ]),
  );
  assertEquals([parsed[0].name, parsed[0].message, "code" in parsed[0]], [
    "TimeoutError",
    "too slow",
    false,
  ]);
  assertEquals(parsed[1].errors[0].message, "a");
});

Deno.test("toJson() never fails, and never ends a line", () => {
  const circle: Record<string, unknown> = { name: "circle\nof two" };
  circle.self = [circle];
  const loop = new Error("loop");
  loop.cause = loop;
  const shared = { x: 1 };
  const cases: [value: unknown, json: unknown][] = [
    [undefined, null],
    [10n, "10"],
    [[NaN, Infinity], ["NaN", "Infinity"]],
    [new Map([["a", 1]]), [["a", 1]]],
    [new Set([1, 2]), [1, 2]],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
    [[shared, shared], [shared, shared]],
    [circle, { name: "circle\nof two", self: ["[circular]"] }],
    [new Uint8Array(3), "Uint8Array(3) [ 0, 0, 0 ]"],
    [() => 1, "[Function (anonymous)]"],
  ];
  for (const [value, json] of cases) {
    const text = toJson(value);
    assertEquals(JSON.parse(text), json);
    assert(!text.includes("\n"), text);
  }
  assertEquals(JSON.parse(toJson(loop)).cause, "[circular]");
});
