const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Two columns wide: pictures, and the scripts of East Asia. */
const WIDE = new RegExp(
  "\\p{Emoji_Presentation}|\\uFE0F|" +
    "[\\u1100-\\u115F\\u2E80-\\u303E\\u3041-\\uA4CF\\uA960-\\uA97C\\uAC00-\\uD7A3" +
    "\\uF900-\\uFAFF\\uFE30-\\uFE6F\\uFF01-\\uFF60\\uFFE0-\\uFFE6\\u{20000}-\\u{3FFFD}]",
  "u",
);

/** Nothing is shown for these. */
const INVISIBLE = /^[\p{Mark}\p{Format}\u200B]+$/u;

/**
 * Text that cannot do anything to a terminal: escape sequences are gone, and what would end the line
 * is a space.
 */
export function sanitize(text: string): string {
  return text
    // deno-lint-ignore no-control-regex -- control characters are what it is about
    .replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)?/g, "")
    .replace(/[\p{Control}\u2028\u2029]+/gu, " ");
}

/** How many columns of a terminal the text takes. */
export function displayWidth(text: string): number {
  // The usual case, without the cost of the other.
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) width += widthOf(segment);
  return width;
}

/** The text in at most so many columns; `…` stands for what is missing. */
export function truncate(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns < 1) return "";
  let width = 1;
  let kept = "";
  for (const { segment } of GRAPHEMES.segment(text)) {
    width += widthOf(segment);
    if (width > columns) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** The text in exactly so many columns. */
export function fit(text: string, columns: number, align: "left" | "right" = "left"): string {
  const short = truncate(text, columns);
  const space = " ".repeat(Math.max(0, columns - displayWidth(short)));
  return align === "left" ? short + space : space + short;
}

function widthOf(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}
