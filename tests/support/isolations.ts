import type { TransportKind } from "../../src/pool/transport.ts";
import { TRANSPORTS } from "../../src/pool/transport_kinds.ts";
import { inlineTransport } from "./inline_transport.ts";
import { type Isolation, ISOLATIONS } from "../../src/pool/isolation.ts";

/** What the conformance tests run over: `"inline"` is the same contract on the test's own thread. */
export type TestedIsolation = Isolation | "inline";

/** All of it. */
export const TESTED: readonly TestedIsolation[] = [...ISOLATIONS, "inline"];

/** Where a task has no thread or process of its own that could crash, hang or be killed. */
export const NO_THREAD: readonly TestedIsolation[] = ["inline"];

/** How to start a worker of it. */
export function transportOf(isolation: TestedIsolation): TransportKind {
  return isolation === "inline" ? inlineTransport : TRANSPORTS[isolation];
}

/**
 * Defines one test for each isolation: the same contract, whatever a worker is.
 *
 * @param name What is promised.
 * @param test The test.
 * @param except Isolations of which it is not true; say why where it is called.
 */
export function eachIsolation(
  name: string,
  test: (isolation: TestedIsolation) => Promise<void>,
  except: readonly TestedIsolation[] = [],
): void {
  for (const isolation of TESTED) {
    if (!except.includes(isolation)) Deno.test(`${isolation}: ${name}`, () => test(isolation));
  }
}
