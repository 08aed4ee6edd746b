import type { MessagePort } from "node:worker_threads";

/**
 * Listens to a port of Node's as one does to a port of the web: `port.on("message")` looks through
 * every byte of every array for further ports, which takes a second for 10 MB.
 *
 * @param port Either end of a channel.
 * @param receive Called with each message, from the first on.
 */
export function listen(port: MessagePort, receive: (message: unknown) => void): void {
  (port as unknown as EventTarget).addEventListener("message", (event) => {
    receive((event as MessageEvent).data);
  });
  port.start();
}
