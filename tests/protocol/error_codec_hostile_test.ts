import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { decodeThrown, encodeThrown } from "../../src/protocol/error_codec.ts";

/** What arrives; fails when it cannot be encoded, posted or decoded. */
function across(thrown: unknown): Error {
  return decodeThrown(structuredClone(encodeThrown(thrown))) as Error;
}

/** An error on which reading the given property throws. */
function trapped(key: string, enumerable = false): Error {
  const get = (): never => {
    throw new Error(`${key} is a trap`);
  };
  return Object.defineProperty(new TypeError("fine"), key, { get, enumerable });
}

Deno.test("encodeThrown() gets the rest of an error that has a trap", () => {
  for (const key of ["name", "message", "stack", "cause", "field"]) {
    for (const enumerable of [false, true]) {
      const arrived = across(Object.assign(trapped(key, enumerable), { code: 5 }));
      assertInstanceOf(arrived, Error, key);
      assertEquals((arrived as Error & { code: number }).code, 5, key);
      if (key !== "message") assertEquals(arrived.message, "fine", key);
      if (key !== "name") assertInstanceOf(arrived, TypeError, key);
    }
  }
});

Deno.test("encodeThrown() makes text of a name, message or stack that is none", () => {
  const odd: unknown[] = [
    undefined,
    null,
    5,
    5n,
    Symbol("s"),
    {},
    [],
    Object.create(null),
    () => {},
    { toString: null, valueOf: null },
    {
      toString() {
        throw new Error("a trap");
      },
    },
  ];
  for (const value of odd) {
    for (const key of ["name", "message", "stack"]) {
      const thrown = new Error("fine");
      Object.defineProperty(thrown, key, { value, configurable: true });
      const arrived = across(thrown);
      assertInstanceOf(arrived, Error);
      assertEquals(typeof arrived.name, "string");
      assertEquals(typeof arrived.message, "string");
      assert(arrived.stack === undefined || typeof arrived.stack === "string");
      if (key !== "message") assertEquals(arrived.message, "fine");
    }
  }
});

Deno.test("encodeThrown() never throws for proxies, whatever their traps do", () => {
  const trap = (): never => {
    throw new Error("a trap");
  };
  const traps: ProxyHandler<object>[] = [
    { get: trap },
    { getPrototypeOf: trap },
    { ownKeys: trap },
    { has: trap },
    { getOwnPropertyDescriptor: trap },
    { get: trap, getPrototypeOf: trap, ownKeys: trap, has: trap, getOwnPropertyDescriptor: trap },
  ];
  for (const handler of traps) {
    for (const target of [{}, new Error("m"), new AggregateError([1], "m"), () => {}, []]) {
      const proxy = new Proxy(target, handler);
      across(proxy);
      across(new Error("outer", { cause: proxy }));
      across(new AggregateError([proxy]));
      across(Object.assign(new Error("m"), { proxy }));
    }
  }
  const { proxy, revoke } = Proxy.revocable(new Error("m"), {});
  revoke();
  across(proxy);
  across(new Error("outer", { cause: proxy }));
});

Deno.test("encodeThrown() never throws for values that a console cannot show", () => {
  const hostile = {
    method() {},
    [Symbol.for("Deno.customInspect")]() {
      throw new Error("no picture of me");
    },
    [Symbol.for("nodejs.util.inspect.custom")]() {
      throw new Error("no picture of me");
    },
  };
  across(hostile);
  across({
    get trap() {
      throw new Error("a trap");
    },
  });
  assertEquals(across(Object.assign(new Error("m"), { hostile, code: 1 })).message, "m");
});

Deno.test("encodeThrown() cuts chains of causes that are circles, and keeps their first part", () => {
  const a = new Error("a");
  const b = new TypeError("b", { cause: a });
  a.cause = b;
  const arrived = across(a);
  assertInstanceOf(arrived.cause, TypeError);
  assertStringIncludes(Deno.inspect((arrived.cause as Error).cause), "a");
  const own = new Error("own");
  own.cause = own;
  assertEquals(across(own).message, "own");
});

Deno.test("encodeThrown() cuts what contains itself in many places, in little time and space", () => {
  const circle = new AggregateError([], "circle");
  circle.errors.push(...Array.from({ length: 50 }, () => circle));
  circle.cause = circle;
  assertEquals(across(circle).message, "circle");

  // No circle: each level holds the level below twenty times.
  let tower: Error = new Error("bottom");
  for (let level = 0; level < 14; level++) {
    tower = new AggregateError(Array.from({ length: 20 }, () => tower), `level ${level}`);
  }
  assert(JSON.stringify(encodeThrown(tower)).length < 10_000_000);
  assertEquals(across(tower).message, "level 13");
});

Deno.test("encodeThrown() cuts a chain that is too long, and says so", () => {
  let thrown = new Error("0");
  for (let index = 1; index < 10_000; index++) thrown = new Error(`${index}`, { cause: thrown });
  let links = 0;
  let arrived: unknown = across(thrown);
  for (; arrived instanceof Error; arrived = arrived.cause) links++;
  assert(links >= 16 && links < 100, `${links}`);
  assertStringIncludes(String(arrived), "(…)");
});

Deno.test("encodeThrown() keeps each of many errors, at least as text", () => {
  const errors = Array.from({ length: 5_000 }, (_, index) => new Error(`error ${index}`));
  const arrived = across(new AggregateError(errors, "all failed")) as AggregateError;
  assertEquals(arrived.errors.length, 5_000);
  assertStringIncludes(String(arrived.errors[4_999]), "error 4999");
});

Deno.test("encodeThrown() copes with an AggregateError whose errors were replaced", () => {
  for (const errors of [undefined, null, 5, "text", {}, new Set([1])]) {
    const thrown = Object.assign(new AggregateError([1], "m"), { errors });
    assertEquals(across(thrown).message, "m");
  }
});

Deno.test("encodeThrown() sends a snapshot: later changes are not seen", () => {
  const field = { count: 1 };
  const encoded = encodeThrown(Object.assign(new Error("m"), { field }));
  field.count = 2;
  assertEquals((decodeThrown(encoded) as { field?: unknown }).field, { count: 1 });
});
