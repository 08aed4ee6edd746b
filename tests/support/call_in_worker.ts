/** What the worker sends while and after it runs a task. */
type Reply =
  | { progress: number }
  | { value: unknown }
  | { error: { name: string; message: string } };

/**
 * Runs a task module in a Web Worker with the given permissions, without anything of Leash around
 * it: what a task module needs must not depend on the runtime.
 *
 * @param module The URL of the task module.
 * @param input The input of the run.
 * @param permissions The permissions of the worker; the modules are loaded with those of the caller.
 * @param stopAtProgress Sends a stop message as soon as the task tells of that much progress.
 */
export async function callInWorker<T>(
  module: string,
  input: unknown,
  permissions: Deno.PermissionOptions,
  stopAtProgress = Infinity,
): Promise<T> {
  const source = `
    import task from ${JSON.stringify(module)};
    const controller = new AbortController();
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    self.onmessage = async ({ data }) => {
      if (data.stop) return controller.abort(new Error("stopped by message"));
      try {
        const value = await task(data.input, {
          signal: controller.signal, log, runId: "1", attempt: 1, deadline: undefined,
          task: { name: "test" },
          checkpoint: () => controller.signal.throwIfAborted(),
          progress: (progress) => {
            self.postMessage({ progress });
            if (progress >= data.stopAt) Atomics.wait(data.told, 0, 0);
          },
        });
        self.postMessage({ value });
      } catch (error) {
        self.postMessage({ error: { name: error.name, message: error.message } });
      }
    };`;
  // Held where it told of its progress until the message is on its way, however busy this thread is.
  const told = new Int32Array(new SharedArrayBuffer(4));
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const worker = new Worker(url, { type: "module", deno: { permissions } });
  try {
    return await new Promise<T>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<Reply>) => {
        if ("progress" in data) {
          if (data.progress < stopAtProgress) return;
          worker.postMessage({ stop: true });
          Atomics.store(told, 0, 1);
          Atomics.notify(told, 0);
        } else if ("value" in data) {
          resolve(data.value as T);
        } else {
          reject(Object.assign(new Error(data.error.message), { name: data.error.name }));
        }
      };
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message));
      };
      worker.postMessage({ input, stopAt: stopAtProgress, told });
    });
  } finally {
    worker.terminate();
    URL.revokeObjectURL(url);
  }
}
