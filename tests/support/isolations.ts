import { type Isolation, ISOLATIONS } from "../../src/pool/isolation.ts";

/** What the conformance tests run over. */
export type TestedIsolation = Isolation;

/** All of it. */
export const TESTED: readonly TestedIsolation[] = ISOLATIONS;

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
