/** The share of the limit that one eviction frees. */
const EVICTED_SHARE = 16;

/**
 * A map with a limit. Once it is full, it evicts the entries that were set longest ago. It evicts several at once,
 * because V8 skips all deleted keys when it looks for the first key of a map.
 */
export class BoundedCache<K, V> extends Map<K, V> {
  readonly #maxWeight: number;
  readonly #weightOf: (value: V) => number;
  #weight = 0;

  /** The limit counts entries, or the sum of their weights. Values with a weight must not be mutated. */
  constructor(max: number, weightOf: (value: V) => number = () => 1) {
    super();
    this.#maxWeight = max;
    this.#weightOf = weightOf;
  }

  /** Makes the entry the newest, also if the key exists. The newest entry is never evicted. */
  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    this.#weight += this.#weightOf(value);
    if (this.#weight > this.#maxWeight) this.#evict(key);
    return this;
  }

  override delete(key: K): boolean {
    if (!this.has(key)) return false;
    this.#weight -= this.#weightOf(this.get(key) as V);
    return super.delete(key);
  }

  override clear(): void {
    super.clear();
    this.#weight = 0;
  }

  #evict(newest: K): void {
    const target = this.#maxWeight - Math.floor(this.#maxWeight / EVICTED_SHARE);
    for (const oldest of this.keys()) {
      if (this.#weight <= target || oldest === newest) return;
      this.delete(oldest);
    }
  }
}
