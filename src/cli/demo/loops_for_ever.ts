/** What should not happen, and does: it never yields to the event loop and never looks at `ctx`. */
export default function loopsForEver(): never {
  while (true);
}
