import { OFFLINE, ROOT } from "./entries.ts";
import type { TempDir } from "./temp_dir.ts";

/** What a run of `deno test` said of each test: nothing, or why it failed. */
export type Verdicts = Map<string, string | undefined>;

/** Runs the test files in a folder in a process of their own, with the sanitizers on. */
export async function runTestFiles(
  dir: TempDir,
  env: Record<string, string> = {},
): Promise<Verdicts> {
  const report = dir.at("report.xml");
  await new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "-A", "--no-check", "--no-config", "--sanitize-ops", "--sanitize-resources"],
      ...[OFFLINE, `--junit-path=${report}`, dir.path],
    ],
    cwd: ROOT,
    env: { NO_COLOR: "1", ...env },
    stdout: "null",
    stderr: "null",
  }).output();
  return readReport(await Deno.readTextFile(report));
}

function readReport(xml: string): Verdicts {
  const cases = xml.matchAll(/<testcase name="([^"]*)".*?<\/testcase>/gs);
  return new Map([...cases].map(([all, name]) => {
    const failure = /<failure [^>]*>(.*?)<\/failure>/s.exec(all)?.[1];
    return [plain(name!), failure === undefined ? undefined : plain(failure)];
  }));
}

function plain(xml: string): string {
  return xml.replaceAll("&apos;", "'").replaceAll("&quot;", '"').replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
