/** Keeps what is written to stderr through `console.error` until it is disposed of. */
export function captureReports(): Disposable & { reports: unknown[][] } {
  const { error } = console;
  const reports: unknown[][] = [];
  console.error = (...args: unknown[]) => void reports.push(args);
  return { reports, [Symbol.dispose]: () => void (console.error = error) };
}
