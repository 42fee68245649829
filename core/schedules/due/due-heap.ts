interface Timed {
  readonly at: number;
}

/** A binary heap; the earliest item comes first. */
export class DueHeap<T extends Timed> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    const items = this.#items;
    let index = items.push(item) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if ((items[parent] as T).at <= item.at) break;
      items[index] = items[parent] as T;
      index = parent;
    }
    items[index] = item;
  }

  /** Removes and returns the first item. */
  take(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || last === undefined || items.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && (items[child + 1] as T).at < (items[child] as T).at) child++;
      if ((items[child] as T).at >= last.at) break;
      items[index] = items[child] as T;
      index = child;
    }
    items[index] = last;
    return first;
  }
}
