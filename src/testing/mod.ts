/**
 * What helps to test programs that use Leash: nothing outlives its test without being named, no test
 * waits for real time, and tasks are called like the functions that they are.
 *
 * @module
 */

export {
  consistently,
  type ConsistentlyOptions,
  eventually,
  type EventuallyOptions,
  type LookOptions,
} from "./eventually.ts";
export { FakeClock } from "./fake_clock.ts";
export { type Leak, LeakError } from "./leak_error.ts";
export {
  guarded,
  guardTests,
  type LeakGuard,
  leakGuard,
  type LeakGuardOptions,
} from "./leak_guard.ts";
export { runReconciler, type TestReconciler } from "./run_reconciler.ts";
export { runTask, type TestRun } from "./run_task.ts";
export { type StressedService, type StressOptions, stressStartStop } from "./stress_start_stop.ts";
export {
  createTestContext,
  type RecordedLog,
  type RecordedProgress,
  type TestContextOptions,
  type TestTaskContext,
} from "./test_context.ts";
export { type TestOwner, testOwner, type TestOwnerOptions } from "./test_owner.ts";
