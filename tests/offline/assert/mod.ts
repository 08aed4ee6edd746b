/**
 * Stand-in for `@std/assert` on machines that do not reach JSR: the functions that our tests use,
 * with the same types and the same verdicts. Messages differ.
 *
 * @module
 */

export * from "./basic.ts";
export { equal } from "./equal.ts";
export * from "./equality.ts";
export { AssertionError } from "./error.ts";
export * from "./throws.ts";
