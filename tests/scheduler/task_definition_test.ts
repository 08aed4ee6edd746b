import { assertEquals } from "@std/assert";
import { every, Scheduler, task, type TaskDefinition } from "../../mod.ts";
import { guardTests } from "../../src/testing/mod.ts";

guardTests();

interface Doubles {
  default: (input: { x: number }) => number;
}

const MODULE = "data:text/javascript,export default ({ x }) => x * 2";
const schedule = every({ hours: 1 });

Deno.test("task() returns a plain value that add() takes", async () => {
  const options = { name: "doubles", schedule, input: { x: 21 } };
  const definition: TaskDefinition<{ x: number }> = task<Doubles>(new URL(MODULE), options);
  assertEquals(definition, { module: new URL(MODULE).href, options });

  const owner = new AbortController();
  await using scheduler = new Scheduler({ signal: owner.signal });
  const added = scheduler.add(definition.module, definition.options);
  const { value } = await added.trigger();
  assertEquals(value, 42);
});

Deno.test("task() types the input by the module, or leaves it open", () => {
  // @ts-expect-error the input is missing
  task<Doubles>(MODULE, { schedule });
  // @ts-expect-error the input is of another type
  task<Doubles>(MODULE, { schedule, input: "x" });
  const some: TaskDefinition[] = [
    task<Doubles>(MODULE, { schedule, input: { x: 1 } }),
    task(MODULE, { schedule }),
    task(MODULE, { schedule, input: "anything" }),
  ];
  assertEquals(some.map(({ module }) => module), [MODULE, MODULE, MODULE]);
});
