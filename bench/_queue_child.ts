/**
 * The process of one contestant for one round: `_queue_child.ts <module> <job> <count> <keys of a
 * warm-up>`. It warms up, measures, and prints one line of JSON.
 *
 * @module
 */

import type { QueueJob } from "./_queue_jobs.ts";

const [module, name, count, warm] = Deno.args;
const jobs: Record<string, QueueJob> = await import(new URL(module!, import.meta.url).href);
const job = jobs[name!]!;
// Whoever uses a queue uses it for long: what counts is how it is when its code is compiled.
for (let warmUp = 0; warmUp < 5; warmUp++) await job(Number(warm));
console.log(JSON.stringify(await job(Number(count))));
