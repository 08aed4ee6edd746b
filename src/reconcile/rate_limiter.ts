/**
 * Says how long a key has to wait before it is tried again. Keys are those that `keyOf` gives, or the
 * strings themselves. Write your own, or combine those that there are.
 */
export interface RateLimiter {
  /** The longest wait, in milliseconds, if there is one: what a queue adds to a wait stays below it. */
  readonly max?: number;
  /**
   * Counts one more failure of the key, and says how long to wait, in milliseconds.
   *
   * @param key The key.
   */
  delay(key: string): number;
  /** The failures of the key that were counted since it was forgotten. */
  failures(key: string): number;
  /** The key has succeeded, or is no longer tried: counts anew. */
  forget(key: string): void;
}
