import { DUPLICATE_WINDOW_MS } from "../../contract/bus.ts";
import type { Database, Statement } from "./database.ts";

type Row = [seq: number, subject: string, id: string, publishedAt: number];

/** Where in the stream a hash was met, for some seconds of messages. Forgotten as a whole. */
interface Generation {
  readonly since: number;
  readonly seqs: Map<number, number>;
}

/**
 * Which ids were published in the last minutes. The messages themselves are the record, so a publish writes nothing
 * more for it and a restart reads it back; memory holds 32 bits of each id and its place, and the file is asked only
 * when these are met again. What a rolled back transaction left in here is therefore harmless.
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

  /** Ids as they are stored. */
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
    const remembered = generations.filter(({ since }) => Math.abs(now - since) < DUPLICATE_WINDOW_MS + GENERATION_MS);
    this.#generations = [current, ...remembered];
  }

  /** How many are in memory. */
  get size(): number {
    return this.#generations?.reduce((sum, { seqs }) => sum + seqs.size, 0) ?? 0;
  }

  #isIn(seqs: ReadonlyMap<number, number>, subject: string, id: string, now: number): boolean {
    for (let hash = hashOf(subject, id); ; hash = next(hash)) {
      const seq = seqs.get(hash);
      if (seq === undefined) return false;
      const [, itsSubject, itsId, publishedAt = 0] = this.#select.get(seq) ?? [];
      // Either direction: a clock that was set back must not make an id a repeat for as long as it was wrong.
      if (itsId === id && itsSubject === subject && Math.abs(now - publishedAt) < DUPLICATE_WINDOW_MS) return true;
    }
  }

  /** Backwards, until a page has nothing recent. */
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

/** Two that share a hash lie beside each other. */
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
