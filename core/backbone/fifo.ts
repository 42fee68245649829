/** First in, first out. Array.shift() moves every item behind it, which a long queue cannot afford. */
export class Fifo<T> {
  #items: T[] = [];
  #taken = 0;

  get length(): number {
    return this.#items.length - this.#taken;
  }

  get first(): T | undefined {
    return this.#items[this.#taken];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.first;
    if (this.length === 0) return undefined;
    this.#items[this.#taken++] = undefined as T;
    if (this.#taken > COMPACT_FROM && this.#taken * 2 > this.#items.length) this.keep(() => true);
    return item;
  }

  /** Drops what the condition does not hold for; the index counts from the first waiting item. */
  keep(wanted: (item: T, index: number) => boolean): void {
    this.#items = this.#items.slice(this.#taken).filter(wanted);
    this.#taken = 0;
  }
}

const COMPACT_FROM = 64;
