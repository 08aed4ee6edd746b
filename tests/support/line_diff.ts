/**
 * Compares two texts line by line. Returns the lines that are only in one of them, marked with `-`
 * (only in the first) and `+` (only in the second), under the last unindented line above them.
 */
export function lineDiff(before: string, after: string): string {
  const old = before.split("\n");
  const now = after.split("\n");
  const common = commonLengths(old, now);
  const output: string[] = [];
  let heading = "";
  let printed = "";
  const print = (mark: string, line = "") => {
    if (line === "") return;
    // The line itself may be the heading; then it says enough.
    if (heading !== printed && line !== heading) output.push(`  ${heading}`);
    printed = heading;
    output.push(`${mark} ${line}`);
  };

  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    const line = old[i] ?? now[j] ?? "";
    if (/^\S/.test(line)) heading = line;
    if (i < old.length && j < now.length && old[i] === now[j]) {
      i++, j++;
    } else if (j >= now.length || (i < old.length && common(i + 1, j) >= common(i, j + 1))) {
      print("-", old[i++]);
    } else {
      print("+", now[j++]);
    }
  }
  return output.join("\n");
}

/** The length of the longest common subsequence of the rests that begin at `i` and `j`. */
function commonLengths(old: string[], now: string[]): (i: number, j: number) => number {
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      lengths[i * width + j] = old[i] === now[j]
        ? at(i + 1, j + 1) + 1
        : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at;
}
