/**
 * What a worker is, and with that, what it costs and what can be done about it.
 *
 * - `"worker"`: a Web Worker. Starts in 20–30 ms. Takes any `permissions`. Deno cannot end it when
 *   it never yields to its event loop: then it is stuck.
 * - `"thread"`: a worker of `node:worker_threads` that holds a Web Lock, which makes Deno really end
 *   it, whatever it is doing, but for a call of the operating system that does not return. Starts in
 *   30–50 ms. Takes a `memoryLimit`, and no `permissions`.
 */
export type Isolation = "worker" | "thread";

/** All isolations that there are so far. */
export const ISOLATIONS: readonly Isolation[] = ["worker", "thread"];
