import type { Directory } from "./_directory.ts";

/** A file that a limit may select. */
export interface Candidate {
  /** The folder that it is in. */
  readonly directory: Directory;
  /** Its name there. */
  readonly name: string;
  /** What it is ordered by, in milliseconds since the epoch. */
  readonly time: number;
  /** Its size, in bytes. */
  readonly size: number;
}

/**
 * Selects the oldest files until the rest is within the limits, while the files are still being
 * found. It holds only what is within the limits so far (a binary heap in four parallel arrays, the
 * oldest at 0), so a sweep down to 1,000 files holds 1,000 however many there are.
 *
 * The outcome is the same as that of sorting all files first: whatever is found later and is older
 * than a file already selected is selected as well.
 */
export class OldestFirst {
  readonly #maxSize: number;
  readonly #maxFiles: number;
  readonly #directories: Directory[] = [];
  readonly #names: string[] = [];
  readonly #times: number[] = [];
  readonly #sizes: number[] = [];
  #total = 0;
  #fixedFiles = 0;
  #newest: Candidate | undefined;

  /**
   * @param maxSize The most bytes that may stay.
   * @param maxFiles The most files that may stay.
   */
  constructor(maxSize: number, maxFiles: number) {
    this.#maxSize = maxSize;
    this.#maxFiles = maxFiles;
  }

  /** A file that takes up room, but must not be selected. */
  addFixed(size: number): void {
    this.#fixedFiles++;
    this.#total += size;
  }

  /** A file that may be selected. */
  add(file: Candidate): void {
    this.#directories.push(file.directory);
    this.#names.push(file.name);
    this.#times.push(file.time);
    this.#sizes.push(file.size);
    this.#total += file.size;
    let index = this.#names.length - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  /** Whether one more file must go. */
  get isOver(): boolean {
    if (this.#names.length === 0) return false;
    return this.#total > this.#maxSize ||
      this.#names.length + this.#fixedFiles > this.#maxFiles ||
      (this.#newest !== undefined && isOlder(this.#candidate(0), this.#newest));
  }

  /** Takes out the oldest file. Call it only while {@linkcode isOver}. */
  take(): Candidate {
    const file = this.#candidate(0);
    this.#swap(0, this.#names.length - 1);
    this.#directories.pop();
    this.#names.pop();
    this.#times.pop();
    this.#sizes.pop();
    this.#total -= file.size;
    this.#sink();
    if (this.#newest === undefined || isOlder(this.#newest, file)) this.#newest = file;
    return file;
  }

  #sink(): void {
    let index = 0;
    while (true) {
      let child = 2 * index + 1;
      if (child >= this.#names.length) return;
      if (child + 1 < this.#names.length && this.#isBefore(child + 1, child)) child++;
      if (!this.#isBefore(child, index)) return;
      this.#swap(index, child);
      index = child;
    }
  }

  #candidate(index: number): Candidate {
    return {
      directory: this.#directories[index]!,
      name: this.#names[index]!,
      time: this.#times[index]!,
      size: this.#sizes[index]!,
    };
  }

  #isBefore(a: number, b: number): boolean {
    const difference = this.#times[a]! - this.#times[b]!;
    if (difference !== 0) return difference < 0;
    return isOlder(this.#candidate(a), this.#candidate(b));
  }

  #swap(a: number, b: number): void {
    swap(this.#directories, a, b);
    swap(this.#names, a, b);
    swap(this.#times, a, b);
    swap(this.#sizes, a, b);
  }
}

/** Files of the same time are ordered by their path, so that two sweeps select the same ones. */
function isOlder(a: Candidate, b: Candidate): boolean {
  if (a.time !== b.time) return a.time < b.time;
  return a.directory.relative + a.name < b.directory.relative + b.name;
}

function swap<T>(list: T[], a: number, b: number): void {
  [list[a], list[b]] = [list[b]!, list[a]!];
}
