import { assertEquals } from "@std/assert";
import { Owner } from "../../src/base/owner.ts";

// In a file of its own: it has to be the first in its process that asks for a timer.
Deno.test("a constructor that sets the first timer is not interrupted by the end of its life", async () => {
  const order: string[] = [];
  const owner = new Owner(AbortSignal.abort(), () => {
    order.push("teardown");
    return Promise.resolve();
  });
  clearTimeout(setTimeout(() => {}, 1));
  order.push("end of the constructor");
  await owner.finished;
  assertEquals(order, ["end of the constructor", "teardown"]);
});
