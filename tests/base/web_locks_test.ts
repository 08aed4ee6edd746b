import { assertStrictEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { webLocks } from "../../src/base/web_locks.ts";

Deno.test("webLocks() is navigator.locks", () => {
  assertStrictEquals(webLocks(), (navigator as unknown as { locks: unknown }).locks);
});

Deno.test("webLocks() says what is needed, and what is there, on a runtime that is too old", () => {
  Object.defineProperty(navigator, "locks", { value: undefined, configurable: true });
  try {
    const error = assertThrows(() => webLocks(), Error, "since 2.9.4");
    assertStringIncludes(error.message, `received Deno ${Deno.version.deno}`);
  } finally {
    delete (navigator as unknown as { locks?: unknown }).locks;
  }
  webLocks();
});
