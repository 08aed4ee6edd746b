import { assert, assertEquals, assertMatch } from "@std/assert";
import { OFFLINE, ROOT } from "../support/entries.ts";

Deno.test({
  name: "out of file descriptors, a run rejects with an error that helps, and the process lives",
  // Elsewhere the limit and the use of descriptors cannot be read.
  ignore: Deno.build.os !== "linux",
  async fn() {
    const run = `"${Deno.execPath()}" run -A ${OFFLINE} tests/fixtures/descriptors_program.ts`;
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-c", `ulimit -n 128 && exec ${run}`],
      cwd: ROOT,
      env: { NO_COLOR: "1" },
    }).output();
    const text = new TextDecoder().decode(stdout);
    assertEquals(code, 0, text + new TextDecoder().decode(stderr));
    const [workers, message, last] = text.split("\n");
    assert(parseInt(workers!) >= 5, text);
    assertMatch(
      message!,
      /^Cannot make a worker: expected 24 free .* of 128 are open.*ulimit -n\)$/,
    );
    assertEquals(last, "all gone");
  },
});
