import type { HistoryItem, ServerFrame } from "../protocol.ts";

/** Text that streams in as deltas, which may be lost, duplicated or from an earlier attempt. */
export class StreamedText {
  #attempt = Number.NEGATIVE_INFINITY;
  #text = "";

  get text(): string {
    return this.#text;
  }

  get attempt(): number {
    return this.#attempt;
  }

  /** True if the text has changed. A delta after a lost one is ignored: the reply has the whole text. */
  add(delta: { attempt: number; offset: number; text: string }): boolean {
    if (delta.attempt < this.#attempt) return false;
    if (delta.attempt > this.#attempt) {
      this.#attempt = delta.attempt;
      this.#text = "";
    }
    if (delta.offset > this.#text.length) return false;
    const grown = this.#text.slice(0, delta.offset) + delta.text;
    if (grown.length <= this.#text.length) return false;
    this.#text = grown;
    return true;
  }
}

export type Said = Extract<HistoryItem, { type: "said" }>;
export type Shown = Exclude<HistoryItem, { type: "said" }>;
export type Delta = Extract<ServerFrame, { type: "delta" }>;

export interface Entry {
  readonly key: string;
  /** The entry's position: the lowest `seq` seen for it. */
  readonly seq: number;
  /** The latest state. */
  readonly item: HistoryItem;
}

/**
 * The loaded part of a conversation in the order of its log, and the drafts that stream in. Pages and edits arrive in any
 * order: the lowest `seq` of an entry is its position, and its latest state is shown.
 */
export class Transcript {
  readonly #byKey = new Map<string, Entry>();
  /** Sorted by position; a new array after every change. */
  #entries: readonly Entry[] = [];
  readonly #drafts = new Map<string, StreamedText>();
  /** Deltas that arrive after their reply are ignored. */
  readonly #answered = new Set<string>();
  #oldest: number | undefined;

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** The lowest loaded `seq`. */
  get oldest(): number | undefined {
    return this.#oldest;
  }

  /** Drafts by the id of the message that they answer. */
  get drafts(): ReadonlyMap<string, StreamedText> {
    return this.#drafts;
  }

  find(key: string): Entry | undefined {
    return this.#byKey.get(key);
  }

  hasAnswered(correlationId: string): boolean {
    return this.#answered.has(correlationId);
  }

  clear(): void {
    this.#byKey.clear();
    this.#entries = [];
    this.#drafts.clear();
    this.#answered.clear();
    this.#oldest = undefined;
  }

  add(...items: readonly HistoryItem[]): void {
    for (const item of items) this.#add(item);
    this.#entries = [...this.#byKey.values()].sort((one, other) => one.seq - other.seq);
  }

  /** True if the draft has changed. */
  addDelta({ correlationId, ...delta }: Delta): boolean {
    if (this.#answered.has(correlationId)) return false;
    const draft = this.#drafts.get(correlationId) ?? new StreamedText();
    this.#drafts.set(correlationId, draft);
    return draft.add(delta);
  }

  #add(item: HistoryItem): void {
    this.#oldest = Math.min(this.#oldest ?? item.seq, item.seq);
    if (item.type !== "said" && item.correlationId !== undefined) {
      this.#answered.add(item.correlationId);
      this.#drafts.delete(item.correlationId);
    }
    const key = keyOf(item);
    const known = this.#byKey.get(key);
    const seq = Math.min(item.seq, known?.seq ?? item.seq);
    const latest = known === undefined || isLater(item, known.item) ? item : known.item;
    if (known?.seq !== seq || known.item !== latest) this.#byKey.set(key, { key, seq, item: latest });
  }
}

export const keyOf = ({ type, id }: Pick<HistoryItem, "type" | "id">): string =>
  `${type === "said" ? "said" : "reply"}:${id}`;

/** An older activity state must not replace a newer one, regardless of its position in the log. */
const isLater = (one: HistoryItem, other: HistoryItem): boolean => {
  const [revision, otherRevision] = [revisionOf(one), revisionOf(other)];
  return revision === otherRevision ? one.seq > other.seq : revision > otherRevision;
};

const revisionOf = (item: HistoryItem): number => (item.type === "said" ? 0 : (item.activity?.revision ?? 0));
