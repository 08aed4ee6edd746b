import type { StateEntries } from "./state_options.ts";

/** What is known of a key that exists, or may exist. */
export interface Fact<Actual> {
  readonly actual: Actual | undefined;
  readonly certain: boolean;
}

/** What there is, as far as is known. */
export class StateFacts<Actual> extends Map<string, Fact<Actual>> {
  /**
   * Somebody has looked. What is known for certain is as it was found. What is uncertain stays so: an
   * operation that broke off may still take effect.
   *
   * @param found All that was found.
   * @param touched Keys of operations that were under way meanwhile: of them the look says nothing.
   * @returns Which keys are there by themselves, and which are gone.
   */
  merge(
    found: StateEntries<Actual>,
    touched: ReadonlySet<string>,
  ): { appeared: string[]; gone: string[] } {
    const there = new Map(found);
    const [appeared, gone]: [string[], string[]] = [[], []];
    for (const [key, { certain }] of this) {
      if (touched.has(key) || there.has(key) || !certain) continue;
      this.delete(key);
      gone.push(key);
    }
    for (const [key, actual] of there) {
      if (touched.has(key)) continue;
      const before = this.get(key);
      if (before === undefined) appeared.push(key);
      this.set(key, { actual, certain: before?.certain ?? false });
    }
    return { appeared, gone };
  }
}
