/** A map that evicts its oldest entry once it is full. Setting a key again makes its entry the newest. */
export class BoundedCache<K, V> extends Map<K, V> {
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    super();
    this.#maxEntries = maxEntries;
  }

  override set(key: K, value: V): this {
    super.delete(key);
    super.set(key, value);
    for (const oldest of this.keys()) {
      if (this.size <= this.#maxEntries) break;
      super.delete(oldest);
    }
    return this;
  }
}
