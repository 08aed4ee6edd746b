import { assertEquals, assertNotEquals } from "@std/assert";
import { eventually, guardTests } from "../../../src/testing/mod.ts";
import { Child } from "../../support/child.ts";
import { OFFLINE } from "../../support/entries.ts";
import { TempDir } from "../../support/temp_dir.ts";

guardTests();

const LONG = { timeout: 20_000 };
const FOR_LONG = ["sleep", "1000"];

/** The two folders, and the program at work on them. */
class Folders extends TempDir {
  readonly manifests = this.at("manifests");
  readonly notes = this.at("notes");

  constructor() {
    super();
    Deno.mkdirSync(this.manifests);
    Deno.mkdirSync(this.notes);
  }

  start(): Child {
    const program = new URL("./processes.ts", import.meta.url).href;
    return new Child([
      ...[Deno.execPath(), "run", "-A", "--no-check", OFFLINE, program],
      ...[this.manifests, this.notes],
    ]);
  }

  want(key: string, command: string[]): void {
    Deno.writeTextFileSync(this.at("next"), JSON.stringify({ command }));
    Deno.renameSync(this.at("next"), `${this.manifests}/${key}.json`);
  }

  forget(key: string): void {
    Deno.removeSync(`${this.manifests}/${key}.json`);
  }

  /** The numbers of the processes that live, as their notes say. */
  running(): Record<string, number> {
    const pids: Record<string, number> = {};
    for (const { name } of Deno.readDirSync(this.notes)) {
      if (!name.endsWith(".json")) continue;
      const { pid } = JSON.parse(Deno.readTextFileSync(`${this.notes}/${name}`));
      if (isAlive(pid)) pids[name.slice(0, -5)] = pid;
    }
    return pids;
  }

  /** Waits until those run that are named, and no others. */
  async runs(...keys: string[]): Promise<Record<string, number>> {
    await eventually(() => assertEquals(Object.keys(this.running()).sort(), keys.sort()), LONG);
    return this.running();
  }

  override [Symbol.dispose](): void {
    for (const pid of Object.values(this.running())) Deno.kill(pid, "SIGKILL");
    super[Symbol.dispose]();
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(Deno.readTextFileSync(`/proc/${pid}/stat`));
  } catch {
    return false;
  }
}

const ignore = Deno.build.os !== "linux";

Deno.test({
  name: "processes follow their manifests, and one that is killed is started again",
  ignore,
  async fn() {
    using folders = new Folders();
    folders.want("web", FOR_LONG);
    folders.want("db", FOR_LONG);
    await using program = folders.start();
    const first = await folders.runs("db", "web");
    Deno.kill(first.web!, "SIGKILL");
    await eventually(() => assertNotEquals(folders.running().web ?? first.web, first.web), LONG);
    assertEquals((await folders.runs("db", "web")).db, first.db, "the other one goes on");
    folders.want("db", ["sleep", "2000"]);
    await eventually(() => assertNotEquals(folders.running().db ?? first.db, first.db), LONG);
    assertEquals(isAlive(first.db!), false);
    folders.forget("web");
    await folders.runs("db");
    program.kill("SIGTERM");
    assertEquals((await program.finish()).stderr, "");
  },
});

Deno.test({
  name: "a program that was killed takes over the processes that it left running",
  ignore,
  async fn() {
    using folders = new Folders();
    for (const key of ["stays", "unwanted", "dies", "changes"]) folders.want(key, FOR_LONG);
    let before: Record<string, number>;
    {
      await using program = folders.start();
      before = await folders.runs("stays", "unwanted", "dies", "changes");
      program.kill("SIGKILL");
      await program.finish();
    }
    assertEquals(folders.running(), before, "they outlive it");
    folders.forget("unwanted");
    folders.want("changes", ["sleep", "2000"]);
    Deno.kill(before.dies!, "SIGKILL");
    await using program = folders.start();
    await eventually(() => {
      const { stays, unwanted, dies, changes } = folders.running();
      assertEquals([stays, unwanted], [before.stays, undefined]);
      for (const [key, pid] of Object.entries({ dies, changes })) {
        assertNotEquals(pid ?? before[key], before[key], key);
      }
    }, LONG);
    // This one is no child of the program.
    Deno.kill(before.stays!, "SIGKILL");
    await eventually(() => {
      assertNotEquals(folders.running().stays ?? before.stays, before.stays);
    }, LONG);
    program.kill("SIGTERM");
    assertEquals((await program.finish()).stderr, "");
  },
});
