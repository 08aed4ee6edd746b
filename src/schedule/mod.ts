/**
 * When tasks are due.
 *
 * @module
 */

export { after } from "./after.ts";
export { at } from "./at.ts";
export { continuous, type ContinuousOptions } from "./continuous.ts";
export { cron, type CronOptions } from "./cron.ts";
export { every, type EveryOptions } from "./every.ts";
export type { Schedule } from "./schedule.ts";
