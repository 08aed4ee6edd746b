/**
 * Knows which keys must wait because what they would read is older than what they wrote: a cache of a
 * server's objects, say, that a watch keeps up to date a moment later. Without it, a reconcile sees the
 * world as it was before its own write, and does it again.
 *
 * Versions grow, and each kind of object has its own. What a key wrote is forgotten as soon as it was seen.
 *
 * @example
 * ```ts
 * import { Controller, StaleReads } from "@leash/leash/reconcile";
 *
 * const reads = new StaleReads();
 * const owner = new AbortController();
 * await using controller = new Controller("data:text/javascript,export default () => {}", {
 *   signal: owner.signal,
 *   isFresh: (key) => reads.isFresh(key),
 * });
 * reads.wrote("web", "pod", 17); // the server's answer to the write said so
 * reads.saw("pod", 17); // the watch has got so far: now "web" may be reconciled
 * ```
 */
export class StaleReads {
  readonly #seen = new Map<string, bigint | number>();
  /** For each kind the version that a key has to wait for. */
  readonly #written = new Map<string, Map<string, bigint | number>>();

  /**
   * A key wrote an object. Of several writes the newest counts.
   *
   * @param key The key.
   * @param kind What kind of object.
   * @param version The version that it has now.
   */
  wrote(key: string, kind: string, version: bigint | number): void {
    let kinds = this.#written.get(key);
    if (kinds === undefined) this.#written.set(key, kinds = new Map());
    const before = kinds.get(kind);
    if (before === undefined || version > before) kinds.set(kind, version);
  }

  /**
   * Whoever reads has got so far.
   *
   * @param kind What kind of object.
   * @param version The newest version that was seen. An older one than before changes nothing.
   */
  saw(kind: string, version: bigint | number): void {
    const before = this.#seen.get(kind);
    if (before === undefined || version > before) this.#seen.set(kind, version);
  }

  /** Whether all that the key wrote has been seen. */
  isFresh(key: string): boolean {
    return this.stale(key).length === 0;
  }

  /** The kinds of objects that the key wrote and that have not been seen as they are since. */
  stale(key: string): string[] {
    const kinds = this.#written.get(key);
    if (kinds === undefined) return [];
    for (const [kind, version] of kinds) {
      const seen = this.#seen.get(kind);
      if (seen !== undefined && seen >= version) kinds.delete(kind);
    }
    if (kinds.size === 0) this.#written.delete(key);
    return [...kinds.keys()];
  }

  /** Forgets what a key wrote: it is gone, or what it wrote is. */
  forget(key: string): void {
    this.#written.delete(key);
  }
}
