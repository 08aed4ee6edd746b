/**
 * What a worker is, and with that, what it costs and what can be done about it.
 *
 * - `"worker"`: a Web Worker. Starts in 20–30 ms. Takes any `permissions`. Deno cannot end it when
 *   it never yields to its event loop: then it is stuck.
 * - `"thread"`: a worker of `node:worker_threads` that holds a Web Lock, which makes Deno really end
 *   it, whatever it is doing, but for a call of the operating system that does not return. Starts in
 *   30–50 ms. Takes a `memoryLimit`, and no `permissions`.
 * - `"process"`: a `deno run` child. Starts in 80–150 ms, and takes some 60 MB of memory of its own.
 *   Can always be ended. Takes `permissions` and a `memoryLimit`. It shares no memory: what cannot be
 *   carried to another process, such as a `SharedArrayBuffer` or a `Blob`, is an error. This process
 *   needs the permissions to run `deno` and to read the environment. Without `permissions` the child
 *   gets those that this process has without any limit; of those with a list, it gets nothing.
 */
export type Isolation = "worker" | "thread" | "process";

/** All isolations. */
export const ISOLATIONS: readonly Isolation[] = ["worker", "thread", "process"];
