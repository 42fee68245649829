import { AppError, RevisionConflict } from "../../../core/contract/app-error.ts";
import type { Clock } from "../../../core/contract/clock.ts";
import type { Store } from "../../../core/contract/store.ts";
import { visitorSince } from "../identity/visitor-id.ts";
import { findHead, HINT_STRIDE } from "./find-head.ts";
import type { HeadHint, LogEntry } from "./log-entry.ts";
import { entryKey, headHintKey } from "./log-entry.ts";
import { RECENT_ENTRIES, RecentIds } from "./recent-ids.ts";

export interface LogParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly channel: string;
  readonly retentionMs: number;
}

/** What is known of a log's end. Most logs that are open are idle: what only an append needs is made by the first. */
interface LogState {
  head: number;
  seenAt: number;
  ids: RecentIds | undefined;
  /** Undefined: that of an empty log. */
  hint: HeadHint | undefined;
}

/**
 * How far an append looks for an earlier attempt of itself, beyond what this process knows anyway. A first attempt looks
 * only at what was there before this process knew the log: it may have slept, and another has long made it.
 */
export type LookBack = { readonly afterSeq: number } | { readonly since: number; readonly isFirst?: boolean };

/**
 * A visitor's conversation: entries numbered without gaps, shared by all gateways. An entry is a create-only write of
 * the number after the last, so of two gateways one wins, and the loser reads what was written before it tries the
 * next. A gateway that appends has therefore seen every entry up to its own, and a repeat among them is recognised.
 */
export class ConversationLog {
  readonly visitor: string;
  readonly #parts: LogParts;
  #state: LogState | undefined;
  #last: Promise<unknown> = IDLE;

  constructor(visitor: string, parts: LogParts) {
    this.visitor = visitor;
    this.#parts = parts;
  }

  /** A visitor made just now: the log is empty, nothing needs to be read. */
  startEmpty(): number {
    return this.#begin(0, undefined).head;
  }

  /** The last entry's `seq` as the store has it now; 0: there is none. `claimed`: what a client says it has. */
  head(claimed = 0): Promise<number> {
    return this.#inTurn(async () => {
      if (this.#state === undefined) return (await this.#loaded(claimed)).head;
      await this.#readForward(undefined, undefined);
      // Further than what follows from here: all before it has expired while this process looked elsewhere.
      if (claimed > this.#state.head) this.#state = undefined;
      return (await this.#loaded(claimed)).head;
    });
  }

  async read(seq: number): Promise<LogEntry | undefined> {
    return (await this.#parts.store.get(entryKey(this.#parts.channel, this.visitor, seq)))?.value;
  }

  /** The entry is known to be there already. */
  knows(once: string): boolean {
    return this.#state?.ids?.seqOf(once) !== undefined;
  }

  /** Appends the entry, unless an earlier attempt has. Resolves to its `seq`. */
  append(entry: LogEntry, lookBack: LookBack): Promise<number> {
    return this.#inTurn(async () => {
      await this.#loaded();
      const earlier = await this.#find(entry.once, lookBack);
      if (earlier !== undefined) return earlier;
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        const seq = await this.#tryAppend(entry);
        if (seq !== undefined) return seq;
        await this.#readForward(undefined, undefined);
        const other = this.#state?.ids?.seqOf(entry.once);
        if (other !== undefined) return other;
      }
      throw new AppError("unavailable", "the conversation is being written to by too many at once; try again");
    });
  }

  /** Looks for what other gateways have appended; resolves to the head. `expected`: somebody said there is this much. */
  advance(expected?: number, seen?: (seq: number, entry: LogEntry) => void): Promise<number> {
    return this.#inTurn(async () => {
      const before = await this.#loaded();
      if (expected !== undefined && expected <= before.head) return before.head;
      await this.#readForward(expected, seen);
      if (expected === undefined || expected <= before.head) return before.head;
      // Announced, and not what follows: as above.
      this.#state = undefined;
      return (await this.#loaded()).head;
    });
  }

  async #tryAppend(entry: LogEntry): Promise<number | undefined> {
    const state = await this.#loaded();
    const seq = state.head + 1;
    await this.#keepHint(state);
    const { store, channel, retentionMs } = this.#parts;
    try {
      await store.put(entryKey(channel, this.visitor, seq), entry, { ifRevision: 0, ttlMs: retentionMs });
    } catch (error) {
      if (error instanceof RevisionConflict) return undefined;
      throw error;
    }
    this.#note(seq, entry);
    return seq;
  }

  /** Reads entries after the head until one is absent; only what was read counts. */
  async #readForward(expected: number | undefined, seen: ((seq: number, entry: LogEntry) => void) | undefined) {
    const state = await this.#loaded();
    for (let size = 1; ; size = READ_AT_ONCE) {
      const wanted = expected === undefined ? size : Math.min(expected - state.head, READ_AT_ONCE);
      if (wanted <= 0) return;
      const first = state.head + 1;
      const found = await Promise.all(Array.from({ length: wanted }, (_, index) => this.read(first + index)));
      for (const [index, entry] of found.entries()) {
        if (entry === undefined) {
          state.seenAt = this.#parts.clock.now();
          return;
        }
        this.#note(first + index, entry);
        seen?.(first + index, entry);
      }
    }
  }

  async #find(once: string, lookBack: LookBack): Promise<number | undefined> {
    const state = await this.#loaded();
    const ids = idsOf(state);
    const { since, isFirst, floor } =
      "since" in lookBack
        ? { ...lookBack, floor: 0 }
        : { floor: Math.max(0, lookBack.afterSeq, state.head - RECENT_ENTRIES) };
    if (isFirst && since !== undefined && ids.completeSince <= since) return ids.seqOf(once);
    // Growing reads: a gateway that has just taken over a busy conversation looks through minutes of it.
    let size = FIRST_READ;
    for (; ids.seqOf(once) === undefined && ids.low > floor; size = Math.min(4 * size, MAX_LOOK_BACK)) {
      const last = ids.low;
      const wanted = Math.min(size, last - floor);
      const found = await Promise.all(Array.from({ length: wanted }, (_, index) => this.read(last - index)));
      for (const entry of found) ids.prepend(entry?.once);
      const oldest = found.at(-1);
      if (oldest === undefined || (since !== undefined && oldest.at < since)) break;
    }
    const found = ids.seqOf(once);
    if (since !== undefined && found === undefined) ids.completeSince = Math.min(ids.completeSince, since);
    return found;
  }

  #note(seq: number, entry: LogEntry): void {
    if (this.#state === undefined) return;
    idsOf(this.#state).append(seq, entry.once);
    this.#state.head = seq;
    this.#state.seenAt = this.#parts.clock.now();
  }

  async #loaded(claimed?: number): Promise<LogState> {
    const { store, clock, channel, retentionMs } = this.#parts;
    // What was seen so long ago may have expired, and others may have gone on past it.
    if (this.#state && clock.now() - this.#state.seenAt < retentionMs / 2) return this.#state;
    const hint = (await store.get(headHintKey(channel, this.visitor)))?.value;
    const present = async (seq: number) => (await this.read(seq)) !== undefined;
    return this.#begin(await findHead(present, hint ?? this.#firstHint(), clock.now(), claimed), hint);
  }

  #begin(head: number, hint: HeadHint | undefined): LogState {
    this.#state = { head, seenAt: this.#parts.clock.now(), ids: undefined, hint };
    return this.#state;
  }

  #firstHint(): HeadHint {
    return { seq: 0, at: visitorSince(this.visitor), retentionMs: this.#parts.retentionMs };
  }

  /** Written before the entry that would be too far from it: see findHead. */
  async #keepHint(state: LogState): Promise<void> {
    const { store, clock, channel, retentionMs } = this.#parts;
    const { hint = this.#firstHint(), head } = state;
    const now = clock.now();
    const fits = head + 1 - hint.seq <= HINT_STRIDE && hint.retentionMs === retentionMs && now - hint.at < retentionMs;
    if (fits) return;
    const key = headHintKey(channel, this.visitor);
    const stored = await store.get(key);
    if (stored && stored.value.seq > head) {
      state.hint = stored.value;
      return;
    }
    const written = { seq: head, at: now, retentionMs };
    try {
      await store.put(key, written, { ifRevision: stored?.revision ?? 0 });
      state.hint = written;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      await this.#keepHint(state);
    }
  }

  /** One step at a time, so that this process does not race with itself. */
  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#last.then(step);
    const forget = () => {
      if (this.#last === ended) this.#last = IDLE;
    };
    const ended = result.then(forget, forget);
    this.#last = ended;
    return result;
  }
}

const idsOf = (state: LogState): RecentIds => {
  state.ids ??= new RecentIds(state.head, state.seenAt);
  return state.ids;
};

const IDLE: Promise<unknown> = Promise.resolve();

const FIRST_READ = 4;
const READ_AT_ONCE = 16;
const MAX_LOOK_BACK = 256;
const MAX_ATTEMPTS = 100;
