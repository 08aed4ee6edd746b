/**
 * Lets two threads of a shared cache meet at any step: one of them is in this thread as well, and does
 * what it does between two steps of the other. A step is an access that other threads may see in order,
 * or the copying of many bytes.
 *
 * @module
 */

/** What ends the work of a participant that is killed. */
export class Killed extends Error {}

const ATOMIC = ["load", "store", "add", "compareExchange"] as const;

/** Lets something happen before the n-th step from here on, from 0. */
type Later = (n: number, happens: () => void) => void;

/**
 * Does the work, and something else right before its n-th step, from 0.
 *
 * @param meanwhile What happens there. It may let something else happen later on.
 * @returns Whether the work has so many steps.
 */
export function atStep(n: number, work: () => void, meanwhile: (later: Later) => void): boolean {
  // deno-lint-ignore no-explicit-any -- functions of different types are treated alike
  const places: any[] = [
    ...ATOMIC.map((name) => [Atomics, name]),
    [Object.getPrototypeOf(Uint8Array.prototype), "set"],
  ];
  const originals = places.map(([object, name]) => Object.getOwnPropertyDescriptor(object, name)!);
  const restore = () =>
    places.forEach(([object, name], i) => Object.defineProperty(object, name, originals[i]!));
  const later: Later = (left, happens) => {
    for (const [i, [object, name]] of places.entries()) {
      const original = originals[i]!.value;
      Object.defineProperty(object, name, {
        ...originals[i]!,
        value(this: unknown, ...args: unknown[]) {
          if (left-- === 0) {
            restore();
            happens();
          }
          return original.apply(this, args);
        },
      });
    }
  };
  let met = false;
  try {
    later(n, () => {
      met = true;
      meanwhile(later);
    });
    work();
  } finally {
    restore();
  }
  return met;
}
