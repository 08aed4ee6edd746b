/** The URL of a task module in `tests/fixtures`. */
export function fixture(name: string): URL {
  return new URL(`../fixtures/${name}.ts`, import.meta.url);
}
