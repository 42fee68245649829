import { DUPLICATE_WINDOW_MS } from "../../../contract/ports/bus.ts";
import type { Database, Statement } from "../file/database.ts";

type Row = [seq: number, subject: string, id: string, publishedAt: number];

/** Sequence numbers by hash, for the messages of GENERATION_MS. A generation expires as a whole. */
interface Generation {
  readonly since: number;
  readonly seqs: Map<number, number>;
}

/**
 * Detects duplicate ids within DUPLICATE_WINDOW_MS. The stored messages are the record: a publish writes nothing extra,
 * and a restart loads the window from them. Memory holds a 32-bit hash of each id and its sequence number; a hit is
 * verified in the file, so an entry that a rolled back transaction left here is harmless.
 */
export class RecentPublications {
  readonly #select: Statement<Row>;
  readonly #before: Statement<Row>;
  #generations: Generation[] | undefined;

  constructor(database: Database) {
    this.#select = database.prepare<Row>("SELECT seq, subject, id, published_at FROM messages WHERE seq = ?");
    this.#before = database.prepare<Row>(
      `SELECT seq, subject, id, published_at FROM messages WHERE seq < ? ORDER BY seq DESC LIMIT ${PAGE}`,
    );
  }

  /** Takes the id as it is stored. */
  has(subject: string, id: string, now: number): boolean {
    this.#generations ??= this.#load(now);
    return this.#generations.some(({ seqs }) => this.#isIn(seqs, subject, id, now));
  }

  add(subject: string, id: string, seq: number, now: number): void {
    const generations = this.#generations ?? this.#load(now);
    const [newest] = generations;
    const isCurrent = newest !== undefined && Math.abs(now - newest.since) < GENERATION_MS;
    const current = isCurrent ? newest : { since: now, seqs: new Map<number, number>() };
    note(current.seqs, subject, id, seq);
    if (isCurrent) return;
    const unexpired = generations.filter(({ since }) => Math.abs(now - since) < DUPLICATE_WINDOW_MS + GENERATION_MS);
    this.#generations = [current, ...unexpired];
  }

  /** Number of ids in memory. */
  get size(): number {
    return this.#generations?.reduce((sum, { seqs }) => sum + seqs.size, 0) ?? 0;
  }

  #isIn(seqs: ReadonlyMap<number, number>, subject: string, id: string, now: number): boolean {
    for (let hash = hashOf(subject, id); ; hash = next(hash)) {
      const seq = seqs.get(hash);
      if (seq === undefined) return false;
      const [, itsSubject, itsId, publishedAt = 0] = this.#select.get(seq) ?? [];
      // In either direction: after the clock was set back, ids with a future time must not count as duplicates for long.
      if (itsId === id && itsSubject === subject && Math.abs(now - publishedAt) < DUPLICATE_WINDOW_MS) return true;
    }
  }

  /** Reads pages backwards, until one has no message within the window. */
  #load(now: number): Generation[] {
    const seqs = new Map<number, number>();
    let before = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const page = this.#before.all(before);
      const recent = page.filter(([, , , publishedAt]) => Math.abs(now - publishedAt) < DUPLICATE_WINDOW_MS);
      for (const [seq, subject, id] of recent) note(seqs, subject, id, seq);
      const last = page.at(-1);
      if (recent.length === 0 || last === undefined) break;
      before = last[0];
    }
    this.#generations = [{ since: now, seqs }];
    return this.#generations;
  }
}

/** Open addressing: ids with the same hash take the next free slots. */
const note = (seqs: Map<number, number>, subject: string, id: string, seq: number): void => {
  let hash = hashOf(subject, id);
  while (seqs.has(hash)) hash = next(hash);
  seqs.set(hash, seq);
};

/** FNV-1a. */
const hashOf = (subject: string, id: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < subject.length; index++) {
    hash = Math.imul(hash ^ subject.charCodeAt(index), 0x01000193);
  }
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  return hash;
};

const next = (hash: number): number => (hash + 1) | 0;

const PAGE = 500;
const GENERATION_MS = 30_000;
