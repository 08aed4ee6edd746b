let looked = 0;

/** A reconcile that does next to nothing: what is measured is what it costs to come here. */
export default function reconcile(key: string): void {
  if (key.length > 0) looked++;
}

/** How many keys were looked at in this thread. */
export function count(): number {
  return looked;
}
