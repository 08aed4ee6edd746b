/**
 * What helps to test programs that use Leash.
 *
 * @module
 */

export { FakeClock } from "./fake_clock.ts";
