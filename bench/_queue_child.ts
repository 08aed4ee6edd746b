/**
 * The process of one contestant for one round: `_queue_child.ts <module> <job> <count>`. It warms up,
 * measures, and prints one line of JSON.
 *
 * @module
 */

import type { QueueJob } from "./_queue_jobs.ts";

const [module, name, count] = Deno.args;
const jobs: Record<string, QueueJob> = await import(new URL(module!, import.meta.url).href);
const job = jobs[name!]!;
for (let warmUp = 0; warmUp < 5; warmUp++) await job(Math.min(Number(count), 20_000));
console.log(JSON.stringify(await job(Number(count))));
