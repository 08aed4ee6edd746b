import { assertEquals, assertMatch } from "@std/assert";
import { runTestFiles } from "../support/run_test_files.ts";
import { TempDir } from "../support/temp_dir.ts";

const TESTING = new URL("../../src/testing/mod.ts", import.meta.url).href;

const FILE = `
import { guardTests, leakGuard } from ${JSON.stringify(TESTING)};
guardTests();
const worker = (name) => new Worker("data:text/javascript,", { type: "module", name });
Deno.test("leaks", () => void worker("one"));
Deno.test("is clean", () => worker("two").terminate());
Deno.test("leaks later", async () => {
  await new Promise((resolve) => setTimeout(resolve, 0));
  worker("three");
});
Deno.test("leaks in a step", (t) => t.step("step", () => void worker("four")).then(() => {}));
Deno.test("has a guard of its own", async (t) => {
  await using _guard = leakGuard(t, { ignore: () => true });
  worker("five");
});
`;

Deno.test("guardTests() fails each test that leaks, and no other", async () => {
  using dir = new TempDir();
  await Deno.writeTextFile(dir.at("some_test.ts"), FILE);
  const verdicts = await runTestFiles(dir);
  const named = (test: string) =>
    /Worker (\w+) \(not terminated\)/.exec(verdicts.get(test) ?? "")?.[1];
  assertEquals([...verdicts.keys()].map((test) => [test, named(test)]), [
    ["leaks", "one"],
    ["is clean", undefined],
    ["leaks later", "three"],
    ["leaks in a step", "four"],
    ["has a guard of its own", undefined],
    ["leaks in a step > step", undefined],
  ]);
  assertMatch(verdicts.get("leaks")!, /Cannot end this test: 1 thing is still alive/);
  assertEquals(verdicts.get("is clean"), undefined);
});
