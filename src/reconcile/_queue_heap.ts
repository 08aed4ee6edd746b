/** What a heap holds: something with a moment, and where it stands. */
export interface HeapNode {
  /** Least first. */
  at: number;
  /** Breaks ties, least first. */
  order: number;
  /** Its place in the heap, or -1. */
  index: number;
}

/**
 * A binary heap in which any node can be moved or removed in O(log n). The nodes know their own place,
 * so that one of a million costs no more than its slot in an array.
 */
export class Heap<Node extends HeapNode> {
  #nodes: Node[] = [];

  /** How many there are. */
  get size(): number {
    return this.#nodes.length;
  }

  /** The first one, which stays. */
  peek(): Node | undefined {
    return this.#nodes[0];
  }

  /** Adds a node that is in no heap. */
  push(node: Node): void {
    node.index = this.#nodes.length;
    this.#nodes.push(node);
    this.#up(node);
  }

  /** Removes a node of this heap. */
  remove(node: Node): void {
    const last = this.#nodes.pop()!;
    if (last !== node) {
      this.#nodes[node.index] = last;
      last.index = node.index;
      this.moved(last);
    }
    node.index = -1;
  }

  /** Puts a node right whose moment has changed. */
  moved(node: Node): void {
    this.#up(node);
    this.#down(node);
  }

  /** Forgets all of them. */
  clear(): void {
    this.#nodes = [];
  }

  #up(node: Node): void {
    const nodes = this.#nodes;
    let { index } = node;
    while (index > 0) {
      const parent = nodes[(index - 1) >> 1]!;
      if (!isBefore(node, parent)) break;
      nodes[index] = parent;
      const freed = parent.index;
      parent.index = index;
      index = freed;
    }
    nodes[index] = node;
    node.index = index;
  }

  #down(node: Node): void {
    const nodes = this.#nodes;
    const { length } = nodes;
    let { index } = node;
    for (let child = 2 * index + 1; child < length; child = 2 * index + 1) {
      if (child + 1 < length && isBefore(nodes[child + 1]!, nodes[child]!)) child++;
      const lower = nodes[child]!;
      if (!isBefore(lower, node)) break;
      nodes[index] = lower;
      lower.index = index;
      index = child;
    }
    nodes[index] = node;
    node.index = index;
  }
}

function isBefore(a: HeapNode, b: HeapNode): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
