import type { Clock } from "../base/clock.ts";
import { SharedIndex } from "./_shared_index.ts";
import { type Layout, SharedMemory } from "./_shared_layout.ts";
import { Records } from "./_shared_records.ts";
import { Segments } from "./_shared_segments.ts";
import { Supply } from "./_shared_supply.ts";
import { Tally } from "./_shared_tally.ts";
import { SharedTime } from "./_shared_time.ts";

/** What reading and writing are made of. */
export class SharedParts {
  readonly memory: SharedMemory;
  readonly time: SharedTime;
  readonly tally: Tally;
  readonly records: Records;
  readonly index: SharedIndex;
  readonly segments: Segments;
  readonly supply: Supply;

  constructor(buffer: SharedArrayBuffer, layout: Layout, clock: Clock | undefined) {
    const memory = this.memory = new SharedMemory(buffer, layout);
    const time = this.time = new SharedTime(memory, clock);
    const tally = this.tally = new Tally(memory);
    const records = this.records = new Records(memory);
    const segments = this.segments = new Segments(memory, time);
    this.index = new SharedIndex(memory, records, tally);
    this.supply = new Supply(memory, time, segments, tally);
  }
}
