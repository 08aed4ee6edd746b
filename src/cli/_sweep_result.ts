import { formatDuration } from "../base/format_duration.ts";
import type { FilesSweepResult } from "../sweepers/files.ts";
import { counted, formatBytes, formatCount } from "./_format.ts";
import type { Paint } from "./_style.ts";
import { sanitize } from "./_text.ts";

/** What a sweep did, in a few words. */
export function describeSweep(result: FilesSweepResult): string {
  const { dryRun, removed, removedBytes, scanned, removedBuckets, removedDirs, failed } = result;
  return `${dryRun ? "would remove" : "removed"} ${formatCount(removed)} of ` +
    files(scanned, removed === 0 ? null : removedBytes) +
    (removedBuckets === 0 ? "" : ` in ${counted(removedBuckets, "bucket")}`) +
    (removedDirs === 0 ? "" : ` and ${counted(removedDirs, "empty folder")}`) +
    (failed === 0 ? "" : `, ${failed} failed`);
}

/** What a sweep did, at length. */
export function reportSweep(result: FilesSweepResult, paint: Paint): string {
  const { dir, dryRun, durationMs, failed, failures, sample, removed } = result;
  const title = dryRun ? "Would sweep" : "Swept";
  const rows: [label: string, text: string, show: boolean][] = [
    ["scanned", counted(result.scanned, "file"), true],
    ["matched", counted(result.matched, "file"), result.matched !== result.scanned],
    [dryRun ? "would remove" : "removed", files(removed, result.removedBytes), true],
    ["kept", files(result.kept, result.keptBytes), true],
    [
      dryRun ? "would remove" : "removed",
      counted(result.removedBuckets, "bucket"),
      result.removedBuckets > 0,
    ],
    ["kept", counted(result.keptBuckets, "bucket"), result.keptBuckets > 0],
    ["vanished", counted(result.vanished, "file"), result.vanished > 0],
    ["of unknown age", counted(result.unknownAge, "file"), result.unknownAge > 0],
    [
      dryRun ? "would remove" : "removed",
      counted(result.removedDirs, "empty folder"),
      result.removedDirs > 0,
    ],
    ["not entered", counted(result.skippedDirs, "folder"), result.skippedDirs > 0],
    ["left alone", counted(result.skippedLinks, "symbolic link"), result.skippedLinks > 0],
    [
      "left alone",
      counted(result.skippedSpecial, "socket, pipe or device", "sockets, pipes or devices"),
      result.skippedSpecial > 0,
    ],
    [
      "left alone",
      `${formatCount(result.skippedNames)} that are no buckets`,
      result.skippedNames > 0,
    ],
    ["failed", counted(failed, "file or folder", "files or folders"), failed > 0],
  ];
  const shown = rows.filter(([, , show]) => show);
  const width = Math.max(...shown.map(([label]) => label.length));
  const lines = [`${title} ${sanitize(dir)} in ${formatDuration(durationMs)}`];
  for (const [label, text] of shown) {
    lines.push(paint(label === "failed" ? "red" : undefined, `  ${label.padEnd(width)}  ${text}`));
  }
  for (const { path, error } of failures) lines.push(`    ${sanitize(`${path}: ${error}`)}`);
  if (failed > failures.length) lines.push(`    … and ${failed - failures.length} more`);
  if (dryRun && sample.length > 0) {
    lines.push("  of which", ...sample.map((path) => `    ${sanitize(path)}`));
    if (removed > sample.length) lines.push(`    … and ${removed - sample.length} more`);
  }
  return `${lines.join("\n")}\n`;
}

function files(count: number, bytes: number | null): string {
  return counted(count, "file") + (bytes === null ? "" : ` (${formatBytes(bytes)})`);
}
