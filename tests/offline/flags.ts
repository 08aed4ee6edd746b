/**
 * Prints the flag that makes Deno use the stand-ins for `@std/*`, or nothing where JSR answers.
 * The tasks in deno.json pass what it prints on to `deno test`, `deno check` and so on, so one task
 * serves machines with JSR and machines that reach npm only.
 *
 * `LEASH_OFFLINE=1` and `LEASH_OFFLINE=0` force the answer. This file imports nothing: it must run
 * before any package can be resolved.
 *
 * @module
 */

/** How long JSR may take. A machine behind a firewall that drops packets waits this long per step. */
const PATIENCE = 3_000;

/** Relative to the root of the repository, where tasks run: a task splits an absolute path at blanks. */
const FLAG = "--import-map=tests/offline/import_map.json";

/** Says why the stand-ins are needed, or `undefined` when the real packages can be had. */
async function whyOffline(): Promise<string | undefined> {
  const forced = Deno.env.get("LEASH_OFFLINE");
  if (forced === "1") return "LEASH_OFFLINE=1";
  if (forced === "0") return undefined;
  if (forced !== undefined && forced !== "") {
    throw new RangeError(
      `Cannot use LEASH_OFFLINE: expected 1 (use the stand-ins) or 0 (use JSR): received ${forced}`,
    );
  }
  const registry = (Deno.env.get("JSR_URL") ?? "https://jsr.io").replace(/\/+$/, "");
  try {
    const response = await fetch(`${registry}/@std/assert/meta.json`, {
      signal: AbortSignal.timeout(PATIENCE),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `${registry} answered ${response.status}`;
  } catch (error) {
    const timedOut = error instanceof DOMException && error.name === "TimeoutError";
    return `${registry} ${timedOut ? `did not answer within ${PATIENCE} ms` : "cannot be reached"}`;
  }
}

if (import.meta.main) {
  const reason = await whyOffline();
  if (reason !== undefined) {
    console.error(`Using the stand-ins for @std/* in tests/offline: ${reason}.`);
    console.log(FLAG);
  }
}
