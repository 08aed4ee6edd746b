import { assert } from "@std/assert";
import type { WorkerPermissions } from "../../src/pool/permissions.ts";
import { fixture } from "../support/fixture.ts";
import { eachIsolation } from "../support/isolations.ts";
import { TestPool } from "../support/test_pool.ts";

eachIsolation(
  "a worker has the permissions that it was given, and its module loads all the same",
  async (isolation) => {
    const file = fixture("echo").pathname;
    const reads = (text: string): boolean => text.includes("export default");
    const refused = (text: string): boolean => text === "NotCapable";
    const cases: [WorkerPermissions | undefined, (text: string) => boolean][] = [
      [undefined, reads],
      ["inherit", reads],
      ["none", refused],
      [{ read: [file] }, reads],
      [{ read: [new URL("../", fixture("echo")).pathname + "nowhere"] }, refused],
      [{ write: true }, refused],
    ];
    for (const [permissions, expected] of cases) {
      await using pool = new TestPool("permitted", { isolation, permissions });
      const { value } = await pool.run(file) as { value: string };
      assert(expected(value), `${Deno.inspect(permissions)}: ${value}`);
    }
  },
  // A thread has the permissions of its process: others are refused where a task is added.
  ["thread", "inline"],
);
