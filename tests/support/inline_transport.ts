import { holdLock } from "../../src/base/web_locks.ts";
import type { FromWorker, ToWorker } from "../../src/protocol/messages.ts";
import type {
  Launch,
  Transport,
  TransportHandlers,
  TransportKind,
} from "../../src/pool/transport.ts";
import { startRuntime } from "../../src/worker/runtime.ts";

/**
 * The same contract on the caller's own thread: what conforms here is a matter of the protocol, and
 * what does not is a matter of threads and processes. It cannot end anything: a task that goes on is
 * stuck.
 */
export const inlineTransport: TransportKind = { isolation: "inline", sharesMemory: true, launch };

function launch({ module, name, lock }: Launch, handlers: TransportHandlers): Transport {
  const life = holdLock(lock);
  const death = Promise.withResolvers<void>();
  let receive: (message: ToWorker) => void;
  let isTerminated = false;
  let isLoading = true;
  /** Runs that go on. */
  let pending = 0;

  const dieIfIdle = (): void => {
    if (isTerminated && !isLoading && pending === 0) death.resolve();
  };
  const account = (message: FromWorker): void => {
    if (message.type === "leash:ready" || message.type === "leash:load-failed") isLoading = false;
    if (message.type === "leash:results") pending -= message.values.length;
    if (message.type === "leash:failed" || message.type === "leash:skipped") pending--;
    dieIfIdle();
  };

  queueMicrotask(() =>
    startRuntime({
      isAlone: false,
      post(message) {
        const copy = structuredClone(message);
        account(message);
        queueMicrotask(() => {
          if (!isTerminated) handlers.message(copy);
        });
      },
      receive: (handler) => receive = handler,
      holdLife: () => life.held,
    }, () => import(`${module}#${encodeURIComponent(name)}`))
  );
  return {
    post(message, transfer) {
      const copy = structuredClone(message, { transfer: transfer ?? [] });
      if (message.type === "leash:run") pending += message.inputs.length;
      queueMicrotask(() => {
        if (!isTerminated) receive(copy);
        else if (message.type === "leash:run") pending -= message.inputs.length;
      });
    },
    terminate() {
      isTerminated = true;
      dieIfIdle();
    },
    async death(signal) {
      const givenUp = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => givenUp.reject(signal.reason), { once: true });
      const gone = death.promise.then(() => life.release());
      await Promise.race([gone, givenUp.promise]);
      return {};
    },
  };
}
