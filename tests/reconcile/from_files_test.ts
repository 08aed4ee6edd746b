import { assertEquals } from "@std/assert";
import { fromFiles } from "../../src/reconcile/from_files.ts";
import { eventually, guardTests } from "../../src/testing/mod.ts";
import { TempDir } from "../support/temp_dir.ts";
import { TestController } from "../support/test_controller.ts";

guardTests();

const LONG = { timeout: 60_000 };

Deno.test("fromFiles() adds what is there, and what is made, changed and removed", async () => {
  using dir = new TempDir();
  dir.file("web.json");
  dir.file("sub/db.json");
  dir.file("notes.txt");
  const key = (path: string) => path.match(/^(.+)\.json$/)?.[1];
  await using test = new TestController({ sources: [fromFiles(dir.path, { key })] });
  const keys = () => test.runs.map(({ key }) => key);
  await test.controller.synced;
  await test.ended(2);
  assertEquals(keys().sort(), ["sub/db", "web"]);

  const has = (key: string) => () => assertEquals(keys().slice(2).includes(key), true);
  await Deno.writeTextFile(dir.at("new.json"), "{}");
  await eventually(has("new"), LONG);
  await Deno.remove(dir.at("sub/db.json"));
  await eventually(has("sub/db"), LONG);
  await Deno.writeTextFile(dir.at("web.json"), "{}");
  await eventually(has("web"), LONG);
  assertEquals(keys().some((key) => key.includes("notes")), false);
});

Deno.test("fromFiles() comes back when its folder does", async () => {
  using dir = new TempDir();
  await using test = new TestController({ sources: [fromFiles(dir.at("later"))] });
  await test.log.until("source-failed");
  dir.file("later/a");
  test.clock.advance(1_000);
  await test.ended(1);
  assertEquals(test.outcomes, ["a: succeeded"]);
});

Deno.test("fromFiles() notices when its folder is removed, and made again", async () => {
  using dir = new TempDir();
  dir.file("folder/a");
  await using test = new TestController({ sources: [fromFiles(dir.at("folder"))] });
  await test.controller.synced;
  await Deno.remove(dir.at("folder"), { recursive: true });
  const { error } = await test.log.until("source-failed");
  assertEquals(
    (error as Error).message,
    `Cannot watch ${await Deno.realPath(dir.path)}/folder: it was removed`,
  );
  dir.file("folder/b");
  test.clock.advance(1_000);
  await eventually(() => assertEquals(test.runs.some(({ key }) => key === "b"), true), LONG);
});

Deno.test("fromFiles() adds the files of a folder that is moved there", async () => {
  using dir = new TempDir();
  dir.file("watched/a");
  dir.file("elsewhere/sub/deep");
  await using test = new TestController({ sources: [fromFiles(dir.at("watched"))] });
  await test.ended(1);
  await Deno.rename(dir.at("elsewhere"), dir.at("watched/moved"));
  await eventually(
    () => assertEquals(test.runs.some(({ key }) => key === "moved/sub/deep"), true),
    LONG,
  );
});

Deno.test("fromFiles() adds the files of a folder that is moved there though one in it goes at once", async () => {
  using dir = new TempDir();
  dir.file("watched/a");
  for (let index = 0; index < 20; index++) dir.file(`elsewhere/${index}/file`);
  await using test = new TestController({ sources: [fromFiles(dir.at("watched"))] });
  await test.ended(1);
  const { readDir } = Deno;
  let reads = 0;
  Deno.readDir = (path) => {
    if (++reads === 5) Deno.removeSync(path, { recursive: true });
    return readDir(path);
  };
  try {
    await Deno.rename(dir.at("elsewhere"), dir.at("watched/moved"));
    await eventually(() => {
      const files = new Set(test.runs.map(({ key }) => key).filter((key) => key.endsWith("/file")));
      assertEquals(files.size >= 19, true);
    }, LONG);
  } finally {
    Deno.readDir = readDir;
  }
});
