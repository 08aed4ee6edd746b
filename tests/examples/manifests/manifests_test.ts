import { assertEquals } from "@std/assert";
import type { StateEvent } from "../../../src/reconcile/state_events.ts";
import { eventually, guardTests } from "../../../src/testing/mod.ts";
import { Child } from "../../support/child.ts";
import { OFFLINE } from "../../support/entries.ts";
import { EventLog } from "../../support/event_log.ts";
import { fixture } from "../../support/fixture.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { followManifests } from "./manifests.ts";

guardTests();

const LONG = { timeout: 20_000 };

/** The two folders. */
class Folders extends TempDir {
  readonly manifests = this.at("manifests");
  readonly files = this.at("files");

  constructor() {
    super();
    Deno.mkdirSync(this.manifests);
    Deno.mkdirSync(this.files);
  }

  want(key: string, text: string): void {
    // As an editor does, so that nobody reads one half of it.
    Deno.writeTextFileSync(this.at("next"), JSON.stringify({ text }));
    Deno.renameSync(this.at("next"), `${this.manifests}/${key}.json`);
  }

  forget(key: string): void {
    Deno.removeSync(`${this.manifests}/${key}.json`);
  }

  /** The files that there are, with their texts. */
  async there(): Promise<Record<string, string>> {
    const texts: Record<string, string> = {};
    for (const { name } of Deno.readDirSync(this.files)) {
      if (name.endsWith(".txt")) texts[name] = await Deno.readTextFile(`${this.files}/${name}`);
    }
    return texts;
  }

  has(files: Record<string, string>): Promise<void> {
    return eventually(async () => assertEquals(await this.there(), files), LONG);
  }
}

function follow(folders: Folders, writer?: URL) {
  const owner = new AbortController();
  const log = new EventLog<StateEvent>();
  const run = followManifests({
    ...{ manifests: folders.manifests, files: folders.files, signal: owner.signal },
    ...(writer === undefined ? {} : { writer }),
    onEvent: log.sink,
  });
  return {
    log,
    async [Symbol.asyncDispose]() {
      owner.abort();
      await run;
    },
  };
}

Deno.test("files follow their manifests: made, edited, removed", async () => {
  using folders = new Folders();
  folders.want("web", "hello");
  await using _running = follow(folders);
  await folders.has({ "web.txt": "hello" });
  folders.want("web", "hello again");
  folders.want("db", "rows");
  await folders.has({ "web.txt": "hello again", "db.txt": "rows" });
  folders.forget("web");
  await folders.has({ "db.txt": "rows" });
});

Deno.test("files that somebody edits, removes or adds by hand are put right", async () => {
  using folders = new Folders();
  folders.want("web", "hello");
  folders.want("db", "rows");
  await using running = follow(folders);
  await folders.has({ "web.txt": "hello", "db.txt": "rows" });
  await running.log.until("state-operation-ended", 2);
  Deno.removeSync(`${folders.files}/web.txt`);
  Deno.writeTextFileSync(`${folders.files}/db.txt`, "row");
  Deno.writeTextFileSync(`${folders.files}/other.txt`, "who?");
  await folders.has({ "web.txt": "hello", "db.txt": "rows" });
});

Deno.test("as long as a manifest cannot be read nothing is removed", async () => {
  using folders = new Folders();
  folders.want("web", "hello");
  await using running = follow(folders);
  await folders.has({ "web.txt": "hello" });
  Deno.writeTextFileSync(`${folders.manifests}/db.json`, '{ "te');
  await running.log.until("state-desired-failed");
  folders.forget("web");
  const failures = running.log.all("state-desired-failed").length;
  await running.log.until("state-desired-failed", failures + 2);
  await folders.has({ "web.txt": "hello" });
  folders.want("db", "rows");
  await folders.has({ "db.txt": "rows" });
});

Deno.test("a worker that crashes in the middle leaves no half of a file", async () => {
  using folders = new Folders();
  folders.want("web", "the whole text");
  await using running = follow(folders, fixture("write_then_crash"));
  await running.log.until("state-operation-ended", 2);
  await folders.has({ "web.txt": "the whole text" });
  assertEquals(
    running.log.all("state-operation-ended").map(({ outcome }) => outcome).slice(0, 2),
    ["uncertain", "done"],
  );
});

Deno.test("a program that was killed takes over what it left, and mends it", async () => {
  using folders = new Folders();
  const program = [
    ...[Deno.execPath(), "run", "-A", "--no-check", OFFLINE],
    new URL("./manifests.ts", import.meta.url).href,
    ...[folders.manifests, folders.files],
  ];
  folders.want("web", "hello");
  folders.want("db", "rows");
  {
    await using child = new Child(program);
    await folders.has({ "web.txt": "hello", "db.txt": "rows" });
    child.kill("SIGKILL");
    await child.finish();
  }
  // While it is away: one is no longer wanted, one is wanted otherwise, and one half was lost.
  folders.forget("web");
  folders.want("new", "fresh");
  await Deno.writeTextFile(`${folders.files}/db.txt`, "ro");
  {
    await using child = new Child(program);
    await folders.has({ "db.txt": "rows", "new.txt": "fresh" });
    child.kill("SIGTERM");
    const { stderr } = await child.finish();
    assertEquals(stderr, "");
  }
});
