import { show } from "../base/show.ts";
import type { Source } from "./source.ts";

/**
 * Says what is wrong with a source, before anything of it lives.
 *
 * @throws {TypeError} When it is none.
 */
export function checkSource(source: Source, what: string): void {
  if (typeof source?.name === "string" && typeof source.run === "function") return;
  throw new TypeError(
    `Cannot ${what}: expected a source, with a name and run(), as fromWatch() makes: received ` +
      show(source),
  );
}
