const UNITS = [["d", 86_400_000], ["h", 3_600_000], ["m", 60_000], ["s", 1_000]] as const;

/**
 * A duration for people: at most two units, as in `1h 30m`, `2.5s`, `40ms`.
 *
 * @param milliseconds The length of time.
 */
export function formatDuration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return "for ever";
  if (milliseconds < 0) return `-${formatDuration(-milliseconds)}`;
  // The limits are where rounding would give a whole unit of the next kind.
  if (milliseconds < 999.5) return `${round(milliseconds, milliseconds < 10 ? 1 : 0)}ms`;
  if (milliseconds < 59_950) return `${round(milliseconds / 1_000, 1)}s`;
  const parts: string[] = [];
  let rest = Math.round(milliseconds / 1_000) * 1_000;
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count}${unit}`);
  }
  return parts.slice(0, 2).join(" ");
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
