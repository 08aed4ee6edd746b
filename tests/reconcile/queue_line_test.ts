import { assert, assertEquals } from "@std/assert";
import fc from "npm:fast-check@4";
import { Line } from "../../src/reconcile/_queue_line.ts";

interface Item {
  index: number;
  readonly id: number;
}

const command = fc.oneof(
  fc.record({ do: fc.constant("push" as const), times: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ do: fc.constant("shift" as const), times: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ do: fc.constant("remove" as const), which: fc.nat() }),
);

Deno.test("a line serves in order, whoever leaves from its middle", () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60 }), (steps) => {
      const line = new Line<Item>();
      const model: Item[] = [];
      let id = 0;
      for (const step of steps) {
        if (step.do === "push") {
          for (let count = 0; count < step.times; count++) {
            const item = { index: -1, id: id++ };
            line.push(item);
            model.push(item);
          }
        } else if (step.do === "shift") {
          for (let count = 0; count < step.times && line.first !== undefined; count++) {
            assertEquals(line.first, model[0]);
            line.remove(line.first);
            model.shift();
          }
        } else if (model.length > 0) {
          line.remove(model.splice(step.which % model.length, 1)[0]!);
        }
        assertEquals([line.size, line.first?.id], [model.length, model[0]?.id]);
      }
      while (model.length > 0) {
        assertEquals(line.first, model.shift());
        line.remove(line.first!);
      }
      assertEquals([line.size, line.first], [0, undefined]);
    }),
    { numRuns: 500 },
  );
});

Deno.test("a line does not grow behind one that stays, however many come and go", () => {
  const line = new Line<Item>();
  const stays = { index: -1, id: 0 };
  line.push(stays);
  let highest = 0;
  for (let id = 1; id < 100_000; id++) {
    const item = { index: -1, id };
    line.push(item);
    highest = Math.max(highest, item.index - stays.index);
    line.remove(item);
  }
  assertEquals([line.size, line.first], [1, stays]);
  assert(highest <= 16, `the places reach as far as ${highest}`);
});
