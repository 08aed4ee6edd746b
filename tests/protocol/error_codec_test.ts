import { assert, assertEquals, assertInstanceOf, assertStrictEquals } from "@std/assert";
import { decodeThrown, type EncodedValue, encodeThrown } from "../../src/protocol/error_codec.ts";

/** Both ways in which it crosses a border. */
const ROUTES: [name: string, copy: (encoded: EncodedValue) => EncodedValue][] = [
  ["structuredClone", (encoded) => structuredClone(encoded)],
  ["JSON", (encoded) => JSON.parse(JSON.stringify(encoded))],
];

/** What arrives on the other side, by each route. */
function across<T>(thrown: unknown, check: (arrived: T, route: string) => void): void {
  for (const [route, copy] of ROUTES) check(decodeThrown(copy(encodeThrown(thrown))) as T, route);
}

Deno.test("built-in errors keep their class, message, stack and nothing more", () => {
  for (
    const Class of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]
  ) {
    const thrown = new Class("what happened");
    across<Error>(thrown, (arrived, route) => {
      assertStrictEquals(Object.getPrototypeOf(arrived), Class.prototype, route);
      assertEquals(arrived.message, "what happened");
      assertEquals(arrived.name, Class.name);
      assertEquals(arrived.stack, thrown.stack);
      assertEquals(Object.keys(arrived), []);
      assert(!("cause" in arrived));
      assertEquals(Deno.inspect(arrived), Deno.inspect(thrown));
    });
  }
});

Deno.test("Deno's errors keep their class and their code", () => {
  for (const [name, Class] of Object.entries(Deno.errors)) {
    across<Error>(new Class("m"), (arrived, route) => {
      assertInstanceOf(arrived, Class, `${name} by ${route}`);
      assertEquals([arrived.name, arrived.message], [new Class("m").name, "m"]);
    });
  }
  try {
    Deno.readTextFileSync(new URL("./no such file", import.meta.url));
  } catch (thrown) {
    across<Error & { code: string }>(thrown, (arrived) => {
      assertInstanceOf(arrived, Deno.errors.NotFound);
      assertEquals(arrived.code, "ENOENT");
      assertEquals(arrived.message, (thrown as Error).message);
    });
  }
});

Deno.test("a DOMException keeps its name, its code and its cause", () => {
  for (const name of ["TimeoutError", "AbortError", "DataCloneError", "Custom"]) {
    const thrown = new DOMException("took too long", name);
    Object.defineProperty(thrown, "cause", { value: new TypeError("inner") });
    across<DOMException>(thrown, (arrived) => {
      assertInstanceOf(arrived, DOMException);
      assertEquals([arrived.name, arrived.message], [name, "took too long"]);
      assertEquals(arrived.code, thrown.code);
      assertInstanceOf(arrived.cause, TypeError);
    });
  }
  across<DOMException>(AbortSignal.abort().reason, (arrived) => {
    assertEquals([arrived.name, arrived.code], ["AbortError", 20]);
  });
});

Deno.test("an error of the task's own class becomes an Error with its name and fields", () => {
  class QuotaError extends RangeError {
    override name = "QuotaError";
    code = "E_QUOTA";
    limits = { soft: 1, hard: [2, 3] };
    flag = false;
    nothing = null;
  }
  across<QuotaError>(new QuotaError("too much"), (arrived) => {
    assertInstanceOf(arrived, Error);
    assertEquals([arrived.name, arrived.message, arrived.code], [
      "QuotaError",
      "too much",
      "E_QUOTA",
    ]);
    assertEquals(arrived.limits, { soft: 1, hard: [2, 3] });
    assertEquals([arrived.flag, arrived.nothing], [false, null]);
    assert(!Object.keys(arrived).includes("name"));
    assertEquals(String(arrived), "QuotaError: too much");
  });
});

Deno.test("fields that are called as parts of the encoding arrive too", () => {
  const fields = {
    errors: ["a list of its own, as validators have"],
    fields: [1],
    dom: "x",
    error: "y",
    value: "z",
    toString: "not a function",
    constructor: "neither",
  };
  across<Record<string, unknown>>(Object.assign(new Error("m"), fields), (arrived, route) => {
    for (const [key, value] of Object.entries(fields)) {
      assertEquals(arrived[key], value, `${key} by ${route}`);
    }
  });
  const thrown = new Error("m");
  Object.defineProperty(thrown, "__proto__", { value: { polluted: true }, enumerable: true });
  across<{ polluted?: boolean }>(thrown, (arrived) => {
    assertInstanceOf(arrived, Error);
    assertEquals(arrived.polluted, undefined);
    assertEquals(Object.getOwnPropertyDescriptor(arrived, "__proto__")?.value, { polluted: true });
    assertEquals(({} as { polluted?: boolean }).polluted, undefined);
  });
});

Deno.test("a chain of causes arrives with every class, and ends in whatever it ended in", () => {
  for (const end of ["text", null, 0, false, { code: 5 }]) {
    const thrown = new Error("1", {
      cause: new TypeError("2", { cause: new URIError("3", { cause: end }) }),
    });
    across<Error>(thrown, (arrived) => {
      const second = arrived.cause as Error;
      const third = second.cause as Error;
      assertInstanceOf(second, TypeError);
      assertInstanceOf(third, URIError);
      assertEquals(third.cause, end);
      assertEquals(Object.keys(arrived), [], "cause does not show up as a field");
    });
  }
});

Deno.test("an AggregateError arrives with all its errors, also nested and of a class of its own", () => {
  class ShutdownError extends AggregateError {
    override name = "ShutdownError";
  }
  const thrown = new ShutdownError(
    [new TypeError("a"), "b", new AggregateError([new RangeError("c"), undefined], "inner")],
    "outer",
    { cause: new Error("why") },
  );
  across<AggregateError>(thrown, (arrived) => {
    assertInstanceOf(arrived, AggregateError);
    assertEquals([arrived.name, arrived.message], ["ShutdownError", "outer"]);
    assertEquals((arrived.cause as Error).message, "why");
    const [a, b, inner] = arrived.errors;
    assertInstanceOf(a, TypeError);
    assertEquals(b, "b");
    assertInstanceOf(inner, AggregateError);
    assertInstanceOf(inner.errors[0], RangeError);
    assertEquals(inner.errors.length, 2);
    assertEquals(Object.keys(arrived), []);
  });
  across<AggregateError>(new AggregateError([]), (arrived) => assertEquals(arrived.errors, []));
});

Deno.test("a SuppressedError, as `using` throws it, arrives with both errors", () => {
  let thrown: unknown;
  try {
    using _resource = {
      [Symbol.dispose]() {
        throw new RangeError("in the disposal");
      },
    };
    throw new TypeError("in the block");
  } catch (error) {
    thrown = error;
  }
  across<SuppressedError>(thrown, (arrived) => {
    assertInstanceOf(arrived, SuppressedError);
    assertInstanceOf(arrived.error, RangeError);
    assertInstanceOf(arrived.suppressed, TypeError);
    assertEquals(arrived.suppressed.message, "in the block");
  });
});

Deno.test("what is thrown and is no error arrives as it is", () => {
  for (const thrown of ["text", "", 0, -1.5, true, null, { code: 1, list: [null] }, [1, "2"]]) {
    across(thrown, (arrived) => assertEquals(arrived, thrown));
  }
  across(undefined, (arrived) => assertEquals(arrived, undefined));
  const clone = (thrown: unknown): unknown => decodeThrown(structuredClone(encodeThrown(thrown)));
  assertEquals(clone(5n), 5n);
  assertEquals(clone(new Map([[1, new Set([2])]])), new Map([[1, new Set([2])]]));
  assertEquals(clone(new Date(5)), new Date(5));
  assertEquals(clone({ error: { name: "not ours" } }), { error: { name: "not ours" } });
  assertEquals(clone(Object.create(null)), {});
});

Deno.test("what cannot be cloned arrives as the text that a console shows", () => {
  function named(): void {}
  class Handle {}
  const cases: [thrown: unknown, part: string][] = [
    [named, "[Function: named]"],
    [Symbol("s"), "Symbol(s)"],
    [new URL("https://example.com/path"), "https://example.com/path"],
    [new URLSearchParams("a=1"), "a"],
    [AbortSignal.abort(), "AbortSignal"],
    [new AbortController(), "AbortController"],
    [new Event("ping"), "ping"],
    [new WeakMap(), "WeakMap"],
    [Promise.resolve(), "Promise"],
    [new Handle(), "Handle"],
    [{ method() {} }, "method"],
  ];
  for (const [thrown, part] of cases) {
    for (const each of [thrown, Object.assign(new Error("m"), { field: thrown })]) {
      across<string & { field: string }>(each, (arrived) => {
        const text = each === thrown ? arrived : arrived.field;
        assertEquals(typeof text, "string", `${part}: ${Deno.inspect(text)}`);
        assert(text.includes(part), text);
      });
    }
  }
});

Deno.test("huge messages and frozen errors arrive whole", () => {
  const message = "ä🦕".repeat(300_000);
  across<Error>(new Error(message), (arrived) => assertEquals(arrived.message, message));
  const frozen = Object.freeze(Object.assign(new TypeError("cold"), { code: 7 }));
  across<Error & { code: number }>(frozen, (arrived) => {
    assertInstanceOf(arrived, TypeError);
    assertEquals(arrived.code, 7);
    arrived.code = 8;
  });
});
