interface Entry {
  /** Its place. */
  readonly seq: number;
  readonly node: HTMLElement;
  readonly version: Version;
}

/** Which of an entry's states is shown. */
export interface Version {
  readonly seq: number;
  /** Of an activity: a late older state must not replace a newer one, wherever it is in the log. */
  readonly revision: number;
}

/**
 * The entries on the screen, in the order of the log. Pages and edits come in any order: an entry's place is the
 * lowest it was given, what it shows its latest state.
 */
export class OrderedEntries {
  readonly #log: HTMLElement;
  readonly #entries = new Map<string, Entry>();

  constructor(log: HTMLElement) {
    this.#log = log;
  }

  find(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  clear(): void {
    for (const { node } of this.#entries.values()) node.remove();
    this.#entries.clear();
  }

  isLatest(key: string, { seq, revision }: Version): boolean {
    const shown = this.#entries.get(key)?.version;
    if (shown === undefined) return true;
    return revision === shown.revision ? seq >= shown.seq : revision > shown.revision;
  }

  place(key: string, seq: number, node: HTMLElement, version: Version = { seq, revision: 0 }): void {
    const there = this.#entries.get(key);
    const entry = { seq: Math.min(seq, there?.seq ?? seq), node, version };
    if (there?.node === node && there.seq === entry.seq) {
      // It is there already, and a node that is moved loses the focus.
      this.#entries.set(key, entry);
      return;
    }
    there?.node.remove();
    this.#entries.delete(key);
    let next: Entry | undefined;
    for (const other of this.#entries.values()) {
      if (other.seq > entry.seq && (!next || other.seq < next.seq)) next = other;
    }
    this.#log.insertBefore(node, next?.node ?? null);
    this.#entries.set(key, entry);
  }

  /** The entry began earlier than it was known to. */
  moveUp(key: string, seq: number): void {
    const there = this.#entries.get(key);
    if (there && seq < there.seq) this.place(key, seq, there.node, there.version);
  }
}
