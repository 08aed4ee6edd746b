import { formatDuration } from "../base/format_duration.ts";

const COUNT = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** A number for people: `12,345`. */
export function formatCount(count: number): string {
  return COUNT.format(count);
}

/** A number and what it counts: `1 file`, `12,345 files`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/** A number of bytes for people, in powers of 1000: `1.2 GB`. */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let value = bytes;
  let unit = 0;
  // 999,950 bytes would be shown as 1,000 kB.
  while (Math.abs(value) >= (unit === 0 ? 1_000 : 999.95) && unit < units.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${formatCount(value)} ${units[unit]}`;
}

/** How long until something, for a number that is redrawn all the time: `now`, `0.4s`, `2m 5s`. */
export function formatWait(milliseconds: number): string {
  if (milliseconds <= 0) return "now";
  if (milliseconds < 9_950) return `${(milliseconds / 1_000).toFixed(1)}s`;
  return formatDuration(Math.round(milliseconds / 1_000) * 1_000);
}

/** A moment in a time zone: `2026-07-01 12:05:00`. */
export function formatLocal(epoch: number, timeZone?: string): string {
  // The Swedish way of writing it is almost ISO 8601.
  return new Date(epoch).toLocaleString("sv-SE", timeZone === undefined ? {} : { timeZone });
}

/** A moment in UTC: `2026-07-01T10:05:00Z`, with milliseconds only where there are any. */
export function formatUtc(epoch: number): string {
  return new Date(epoch).toISOString().replace(".000Z", "Z");
}
