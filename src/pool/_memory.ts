/**
 * V8 counts the young generation of a heap beside the old one.
 *
 * @param bytes How large both may be together.
 * @returns How large each may be, in MiB.
 */
export function memorySplit(bytes: number): { young: number; old: number } {
  const megabytes = bytes / 2 ** 20;
  const young = Math.min(16, megabytes / 4);
  return { young, old: megabytes - young };
}
