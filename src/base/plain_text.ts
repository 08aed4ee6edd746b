/** Deno's messages carry colour codes when the process writes to a terminal. */
export function plainText(message: string): string {
  // deno-lint-ignore no-control-regex -- it is control characters that are to go
  return message.replace(/\x1b\[[0-9;]*m/g, "");
}
