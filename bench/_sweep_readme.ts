import { PICTURE, replaced, toMarkdown } from "./_sweep_markdown.ts";
import { plot } from "./_sweep_plot.ts";
import type { Verdict } from "./_sweep_bars.ts";
import type { Growth, Measure } from "./_sweep_result.ts";

/** Puts the picture and the table of the largest number of entries into the README. */
export async function writeReadme(
  measures: Measure[],
  share: number,
  growth: Growth[],
  verdicts: Verdict[],
): Promise<void> {
  const root = new URL("../", import.meta.url);
  await Deno.writeTextFile(new URL(PICTURE, root), await plot(measures, share));
  const file = new URL("README.md", root);
  const text = await Deno.readTextFile(file);
  await Deno.writeTextFile(file, replaced(text, toMarkdown(measures, share, growth, verdicts)));
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--quiet", "README.md"],
    cwd: root,
  }).output();
  if (!success) throw new Error("Cannot format the README");
}
