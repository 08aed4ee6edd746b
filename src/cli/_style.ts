/** How text can be marked. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Marks text, or leaves it as it is where colours are not wanted. */
export type Paint = (style: Style | undefined, text: string) => string;

const CODES: Readonly<Record<Style, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** For everything that is no terminal, and for `NO_COLOR`. */
export const plain: Paint = (_style, text) => text;

/** For terminals. */
export const colored: Paint = (style, text) => {
  if (style === undefined) return text;
  const [on, off] = CODES[style];
  return `\x1b[${on}m${text}\x1b[${off}m`;
};
