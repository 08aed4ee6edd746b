import { assertEquals } from "@std/assert";
import type { Output } from "../../src/cli/_output.ts";
import { Screen } from "../../src/cli/_screen.ts";
import { StallMeter } from "../../src/cli/_stall_meter.ts";
import { plain } from "../../src/cli/_style.ts";
import { assert } from "@std/assert";

/** An output that remembers what was written since it was last asked. */
function recorder(): { output: Output; take(): string } {
  let text = "";
  return {
    output: {
      isTerminal: true,
      paint: plain,
      lost: new AbortController().signal,
      size: () => ({ columns: 80, rows: 24 }),
      write: (more) => text += more,
    },
    take() {
      const taken = text;
      text = "";
      return taken;
    },
  };
}

Deno.test("Screen hides the cursor, draws over the last frame, and shows the cursor again", () => {
  const { output, take } = recorder();
  const screen = new Screen(output);
  assertEquals(take(), "");
  screen.draw(["one", "two"]);
  assertEquals(take(), "\x1b[?25l\r\x1b[K\none\x1b[K\ntwo\x1b[K\x1b[J\x1b[2A\r");
  screen.draw(["three"]);
  assertEquals(take(), "\r\x1b[K\nthree\x1b[K\x1b[J\x1b[1A\r");
  screen[Symbol.dispose]();
  assertEquals(take(), "\x1b[1B\r\n\x1b[?25h");
  screen[Symbol.dispose]();
  screen.draw(["late"]);
  assertEquals(take(), "");
});

Deno.test("Screen shows the cursor when the process ends before", () => {
  const { output, take } = recorder();
  const screen = new Screen(output);
  screen.draw(["one"]);
  take();
  dispatchEvent(new Event("unload"));
  assertEquals(take(), "\x1b[1B\r\n\x1b[?25h");
  screen[Symbol.dispose]();
  assertEquals(take(), "");
});

Deno.test("Screen takes its frame away", () => {
  const { output, take } = recorder();
  using screen = new Screen(output);
  screen.clear();
  assertEquals(take(), "");
  screen.draw(["one"]);
  take();
  screen.clear();
  assertEquals(take(), "\r\x1b[J\x1b[?25h");
});

Deno.test("StallMeter sees that the thread was blocked", async () => {
  using meter = new StallMeter();
  const end = performance.now() + 120;
  while (performance.now() < end);
  // The next turn of the event loop in which a timer of the meter's age is due.
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert(meter.longest >= 80, `${meter.longest}`);
});
