/**
 * Says how long a key has to wait before it is tried again. Keys are those that `keyOf` gives, or the
 * strings themselves. Write your own, or combine those that there are.
 */
export interface RateLimiter {
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
