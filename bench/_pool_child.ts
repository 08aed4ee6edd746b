/**
 * The process of one contestant, whose module is the argument. Each line on the standard input asks
 * for a round of a job, and is answered with a line. It ends with its standard input.
 *
 * @module
 */

import { type ContestantModule, NotBuiltError } from "./_pool_contestant.ts";
import { type Job, prepare, type PreparedJob } from "./_pool_jobs.ts";
import { type Answer, lines, MARK } from "./_pool_process.ts";

/** A module that is known by name only: nothing of the other contestants is loaded. */
const url = new URL(Deno.args[0]!, import.meta.url).href;
let current: { readonly text: string; readonly job: PreparedJob } | undefined;

for await (const text of lines(Deno.stdin.readable)) {
  console.log(MARK + JSON.stringify(await answer(text)));
}
// A contestant that does not close must not keep the process.
await Promise.race([current?.job.close(), new Promise((resolve) => setTimeout(resolve, 500))]);
Deno.exit();

async function answer(text: string): Promise<Answer> {
  try {
    if (current?.text !== text) {
      await current?.job.close();
      current = undefined;
      const module: ContestantModule = await import(url);
      current = { text, job: await prepare(module, JSON.parse(text) as Job) };
    }
    return { sample: await current.job.round() };
  } catch (error) {
    if (error instanceof NotBuiltError) return { missing: error.message };
    const text = error instanceof Error ? error.message : String(error);
    return { failure: text.split("\n", 1)[0]! };
  }
}
