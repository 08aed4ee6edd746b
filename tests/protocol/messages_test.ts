import { assert } from "@std/assert";
import { isMessage } from "../../src/protocol/messages.ts";

Deno.test("isMessage() knows our messages", () => {
  for (const type of ["leash:init", "leash:run", "leash:hello"]) {
    assert(isMessage({ type }));
    assert(isMessage({ type, more: 1 }));
  }
});

Deno.test("isMessage() takes nothing of the task's own for ours", () => {
  const foreign: unknown[] = [
    undefined,
    null,
    0,
    5n,
    true,
    "leash:run",
    ["leash:run"],
    {},
    [],
    new Map([["type", "leash:run"]]),
    { type: undefined },
    { type: 5 },
    { type: null },
    { type: ["leash:run"] },
    { type: { toString: () => "leash:run" } },
    { type: "run" },
    { type: "leash" },
    { type: "LEASH:run" },
    { type: " leash:run" },
    { type: "my-leash:run" },
    { kind: "leash:run" },
    { data: { type: "leash:run" } },
    new Uint8Array(4),
    new Error("leash:run"),
  ];
  for (const data of foreign) assert(!isMessage(data), Deno.inspect(data));
});
