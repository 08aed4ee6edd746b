import { SECRET, type SharedMemory, UNIT_WORDS } from "./_shared_layout.ts";
import { addressOf, HASH, RECORD_EXPIRY, type Records, refOf, SEAL } from "./_shared_records.ts";
import type { SharedIndex } from "./_shared_index.ts";
import type { SharedParts } from "./_shared_parts.ts";
import type { Segments } from "./_shared_segments.ts";
import { epochOf, MERGING, type OpenSegment, STATE_MASK } from "./_shared_state.ts";
import type { Supply, Victim } from "./_shared_supply.ts";
import type { Tally } from "./_shared_tally.ts";
import { sealOf } from "./_shared_text.ts";
import type { SharedTime } from "./_shared_time.ts";

/** So much of a segment may be filled with what was read since, as a part of 8. The rest is for new. */
const KEPT = 6;
/** What has less than this part of its time left is not worth keeping: it would lie dead for long. */
const SHORT = 8;

/**
 * Makes room before it is needed: when the last free segment was opened, the one that would be evicted
 * next is freed at once, and what was read of it since it was written, or looked at last, moves to the
 * open one. So what is in use stays, as with the clock algorithm, and the rest goes in the order of its
 * end.
 *
 * Only its mover frees a segment, so nobody can put anything else in the place of a record that moves;
 * it can be found all the time, first here and then there.
 */
export class Merger {
  readonly #memory: SharedMemory;
  readonly #words: Int32Array;
  readonly #secret: number;
  readonly #time: SharedTime;
  readonly #segments: Segments;
  readonly #supply: Supply;
  readonly #tally: Tally;
  readonly #records: Records;
  readonly #index: SharedIndex;

  constructor({ memory, time, segments, supply, tally, records, index }: SharedParts) {
    this.#memory = memory;
    this.#words = memory.words;
    this.#secret = memory.words[SECRET]!;
    this.#time = time;
    this.#segments = segments;
    this.#supply = supply;
    this.#tally = tally;
    this.#records = records;
    this.#index = index;
  }

  /**
   * Makes room, if there is no free segment any more.
   *
   * @param open The segment that was opened just now.
   * @param units What must stay free in it.
   * @param expiry When what is to be written to it expires.
   */
  merge(open: OpenSegment, units: number, expiry: number): void {
    const victim = this.#supply.first();
    if (victim === undefined || victim === "free") return;
    if (victim.isNeeded || victim.segment === open.segment) return;
    const merging = victim.meta & ~STATE_MASK | MERGING;
    if (!this.#segments.change(victim.segment, victim.meta, merging)) return;
    if (!victim.isOver) {
      const most = Math.min(this.#segments.units * KEPT >> 3, this.#segments.units - units);
      this.#move(victim, open, most, expiry);
    }
    this.#supply.evict(victim, merging);
  }

  #move({ segment, meta }: Victim, open: OpenSegment, most: number, expiry: number): void {
    const now = this.#time.seen;
    const soon = now + (expiry - now) / SHORT;
    const first = this.#memory.layout.arena + segment * this.#segments.units;
    const end = first + this.#segments.units;
    let address = first;
    // Records lie one behind the other. Where there is none, nothing was written, or it is broken.
    while (address < end) {
      const ref = refOf(address, meta);
      if (this.#records.metaOf(ref) === 0) return;
      const units = this.#records.unitsOf(ref);
      if (units <= 0 || address + units > end) return;
      const slot = this.#index.slotOf(ref);
      if (slot >= 0 && this.#index.reads.has(slot) && open.used + units <= most) {
        if (this.#words[address * UNIT_WORDS + RECORD_EXPIRY]! >= soon) {
          if (!this.#moveOne(ref, units, slot, open)) return;
        }
      }
      address += units;
    }
  }

  /** `false`: the open segment is no longer its owner's. */
  #moveOne(ref: number, units: number, slot: number, open: OpenSegment): boolean {
    const words = this.#words;
    const from = addressOf(ref) * UNIT_WORDS;
    if (!this.#segments.begin(open, units, words[from + RECORD_EXPIRY]!)) return false;
    // The open segment is not of before a `clear()`, so the record is not either; if one comes from here
    // on, both are dead.
    const copy = this.#segments.addressIn(open, units);
    const copyRef = refOf(copy, open.meta);
    this.#index.prepare(words[from + HASH]!, copyRef);
    const to = copy * UNIT_WORDS;
    for (let i = 1; i < units * UNIT_WORDS; i++) words[to + i] = words[from + i]!;
    const seal = sealOf(this.#secret, copy, epochOf(open.meta), open.generation);
    Atomics.store(words, to + SEAL, seal);
    this.#tally.add(open.segment, open.meta, 1, units);
    // It may have been replaced or deleted meanwhile.
    if (!this.#index.move(slot, ref, copyRef)) {
      this.#tally.add(open.segment, open.meta, -1, -units);
    }
    this.#segments.end(open);
    return true;
  }
}
