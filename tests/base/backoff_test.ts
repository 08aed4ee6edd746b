import { assert, assertEquals, assertThrows } from "@std/assert";
import { type BackoffOptions, createBackoff } from "../../src/base/backoff.ts";

const take = (options: BackoffOptions, count: number): number[] => {
  const wait = createBackoff({ jitter: "none", ...options });
  return Array.from({ length: count }, (_, index) => wait(index + 1));
};

Deno.test("createBackoff() doubles from one second up to thirty by default", () => {
  assertEquals(take({}, 7), [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

Deno.test("createBackoff() follows its own options", () => {
  assertEquals(take({ initial: 100, factor: 3, max: { seconds: 2 } }, 4), [100, 300, 900, 2_000]);
  assertEquals(take({ initial: 100, factor: 1 }, 3), [100, 100, 100]);
  assertEquals(take({ initial: 50, max: 20 }, 3), [20, 20, 20], "max holds for the first wait");
  assertEquals(take({ initial: 0 }, 3), [0, 0, 0]);
});

Deno.test("createBackoff() gives a finite wait after any number of failures", () => {
  const options: BackoffOptions[] = [
    {},
    { factor: 1 },
    { initial: 0 },
    { initial: 0, factor: 1e300 },
    { initial: Number.MIN_VALUE, factor: Number.MAX_VALUE, max: 5 },
    { initial: Number.MAX_VALUE, factor: 2, max: Number.MAX_VALUE },
  ];
  for (const each of options) {
    for (const jitter of ["none", "full"] as const) {
      const wait = createBackoff({ ...each, jitter });
      let last = 0;
      for (const failures of [1, 2, 31, 32, 64, 1_000, 1_025, 1e9, Number.MAX_SAFE_INTEGER]) {
        const value = wait(failures);
        assert(Number.isFinite(value) && value >= 0, `${Deno.inspect(each)}: ${value}`);
        if (jitter === "none") assert(value >= last, "the series falls");
        last = value;
      }
    }
  }
});

Deno.test("createBackoff() spreads full jitter over the whole wait, and never beyond", () => {
  for (const random of [0, 0.25, 0.5, 1 - Number.EPSILON]) {
    const wait = createBackoff({ initial: 1_000, max: 4_000 }, () => random);
    for (const [failures, whole] of [[1, 1_000], [2, 2_000], [3, 4_000], [50, 4_000]] as const) {
      assertEquals(wait(failures), whole * random);
      assert(wait(failures) < whole);
    }
  }
});

Deno.test("createBackoff() draws a new number for each wait", () => {
  const numbers = [0.1, 0.9, 0.5];
  const wait = createBackoff({ initial: 100, factor: 1 }, () => numbers.shift()!);
  assertEquals([wait(1), wait(1), wait(1)], [10, 90, 50]);
});

Deno.test("createBackoff() refuses options that are out of range, and names them", () => {
  const bad: [options: unknown, name: string][] = [
    [{ factor: 0.5 }, "backoff.factor"],
    [{ factor: NaN }, "backoff.factor"],
    [{ factor: Infinity }, "backoff.factor"],
    [{ factor: -2 }, "backoff.factor"],
    [{ initial: -1 }, "backoff.initial"],
    [{ initial: NaN }, "backoff.initial"],
    [{ initial: Infinity }, "backoff.initial"],
    [{ max: Infinity }, "backoff.max"],
    [{ max: -1 }, "backoff.max"],
    [{ jitter: "half" }, "backoff.jitter"],
    [{ jitter: true }, "backoff.jitter"],
  ];
  for (const [options, name] of bad) {
    assertThrows(() => createBackoff(options as BackoffOptions), RangeError, name);
  }
});
