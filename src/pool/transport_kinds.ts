import type { Isolation } from "./isolation.ts";
import { processTransport } from "./process_transport.ts";
import { threadTransport } from "./thread_transport.ts";
import type { TransportKind } from "./transport.ts";
import { webTransport } from "./web_transport.ts";

/** How to start workers of each isolation. */
export const TRANSPORTS: Readonly<Record<Isolation, TransportKind>> = {
  worker: webTransport,
  thread: threadTransport,
  process: processTransport,
};
