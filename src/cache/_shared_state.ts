/**
 * What a segment is. All changes are compare-exchanges of one word that also holds the epoch, and each
 * can be finished by somebody else.
 *
 * `FREE` → `CLAIMED` (its header is written) → `OPEN` (it has an owner, who may append) ⇄ `WRITING`
 * (the owner is at it: nobody may take it away) → `SEALED` → `FREE`, in the next epoch. `EXPIRING`: a
 * sweep looks once more whether an open segment is really to be freed. `MERGING`: what is still wanted of
 * it moves elsewhere, and then whoever does that frees it.
 */
export const FREE = 0;
export const CLAIMED = 1;
export const OPEN = 2;
export const WRITING = 3;
export const SEALED = 4;
export const EXPIRING = 5;
export const MERGING = 6;
export const STATE_BITS = 3;
export const STATE_MASK = 7;
export const EPOCH_MASK = 0x1fffffff;

/** A segment that its finder may append to. */
export interface OpenSegment {
  readonly segment: number;
  /** Its `META` while it is open. */
  readonly meta: number;
  readonly generation: number;
  readonly ttlClass: number;
  /** Units taken. The owner's word: what others may write to the header does no harm. */
  used: number;
}

export function epochOf(meta: number): number {
  return meta >>> STATE_BITS;
}

/** Whether a segment in this state may hold records. */
export function isAlive(meta: number): boolean {
  const state = meta & STATE_MASK;
  return state >= OPEN && state <= MERGING;
}
