/**
 * Stand-in for `@std/async` on machines that do not reach JSR: the functions that we use, with the
 * same types and the same behaviour.
 *
 * @module
 */

export * from "./abortable.ts";
export * from "./deadline.ts";
export * from "./delay.ts";
export * from "./pool.ts";
export * from "./retry.ts";
