/**
 * The long form of the stress of SharedCache: threads hammer a small cache while one after the other is
 * killed wherever it is. `deno task stress:cache [minutes]`, 10 by default.
 *
 * @module
 */

import { stressSharedCache } from "../support/shared_stress.ts";

if (import.meta.main) {
  const minutes = Number(Deno.args[0] ?? 10);
  if (!(minutes > 0)) throw new RangeError(`Cannot stress for ${Deno.args[0]} minutes`);
  const end = performance.now() + minutes * 60_000;
  const { kills, wrong, turns, hits } = await stressSharedCache((kills) => {
    if (kills % 100 === 0) console.log(`${kills} kills`);
    return performance.now() < end;
  });
  console.log(
    `${kills} kills, ${turns * 200} operations in other threads, ${hits} hits, ${wrong} wrong`,
  );
  if (wrong > 0) Deno.exit(1);
}
