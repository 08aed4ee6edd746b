import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ROOT } from "../support/entries.ts";

const FLAG = "--import-map=tests/offline/import_map.json\n";

Deno.test("flags.ts follows LEASH_OFFLINE without asking JSR", async () => {
  assertEquals((await flags({ LEASH_OFFLINE: "1" })).stdout, FLAG);
  assertEquals(await flags({ LEASH_OFFLINE: "0" }), { code: 0, stdout: "", stderr: "" });
  const wrong = await flags({ LEASH_OFFLINE: "yes" });
  assertEquals([wrong.code, wrong.stdout], [1, ""]);
  assertStringIncludes(wrong.stderr, "received yes");
});

Deno.test("flags.ts prints nothing when the registry answers", async () => {
  const asked: string[] = [];
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    asked.push(new URL(request.url).pathname);
    return Response.json({ versions: {} });
  });
  const result = await flags({ JSR_URL: `http://127.0.0.1:${server.addr.port}/` });
  assertEquals(result, { code: 0, stdout: "", stderr: "" });
  assertEquals(asked, ["/@std/assert/meta.json"]);
});

Deno.test("flags.ts prints the flag and one line why when the registry is no use", async () => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response("down", { status: 503 }),
  );
  const failing = await flags({ JSR_URL: `http://127.0.0.1:${server.addr.port}` });
  assertEquals([failing.code, failing.stdout], [0, FLAG]);
  assertMatch(failing.stderr, /^Using the stand-ins .* answered 503\.\n$/);

  // Nobody listens on port 1.
  const refused = await flags({ JSR_URL: "http://127.0.0.1:1" });
  assertEquals([refused.code, refused.stdout], [0, FLAG]);
  assertMatch(refused.stderr, /^Using the stand-ins .* cannot be reached\.\n$/);
});

async function flags(env: Record<string, string>) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-config", "tests/offline/flags.ts"],
    cwd: ROOT,
    // An empty value counts as absent, so the environment of the test run plays no part.
    env: { LEASH_OFFLINE: "", NO_COLOR: "1", ...env },
    stdout: "piped",
    stderr: "piped",
  }).output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}
