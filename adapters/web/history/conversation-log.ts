import { AppError } from "../../../core/contract/app-error.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { createOnce, update } from "../../../core/contract/ports/update.ts";
import { visitorCreatedAt } from "../identity/visitor-token.ts";
import { findHead, MAX_HINT_LAG } from "./find-head.ts";
import type { HeadHint, LogEntry } from "./log-entry.ts";
import { entryKey, headHintKey } from "./log-entry.ts";
import { RECENT_ENTRIES, RecentIds } from "./recent-ids.ts";
import { type RoomAddress, threadCreatedAt } from "./room-address.ts";

export interface ConversationLogDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly channel: string;
  readonly retentionMs: number;
}

/** Known end of a log. The first append creates `ids`, because most open logs are idle. */
interface LogState {
  head: number;
  seenAt: number;
  ids: RecentIds | undefined;
  /** Undefined: the hint of an empty log. */
  hint: HeadHint | undefined;
}

/**
 * How far back an append searches for a duplicate, beyond the ids that this process knows. A first attempt searches only
 * entries from before this process opened the log: it may have been suspended while another gateway delivered.
 */
export type LookBack = { readonly afterSeq: number } | { readonly since: number; readonly isFirst?: boolean };

/**
 * One of a visitor's conversations: entries numbered without gaps, shared by all gateways. An append is a create-only write of
 * the next number. Of two gateways one wins, and the loser reads the winner's entry before it retries. A gateway that
 * appends has therefore seen every earlier entry and recognises a duplicate among them.
 */
export class ConversationLog {
  readonly #room: RoomAddress;
  readonly #deps: ConversationLogDeps;
  #state: LogState | undefined;
  #last: Promise<unknown> = IDLE;

  constructor(room: RoomAddress, deps: ConversationLogDeps) {
    this.#room = room;
    this.#deps = deps;
  }

  /** For a new visitor: the log is empty, so no read is needed. */
  startEmpty(): number {
    return this.#setState(0, undefined).head;
  }

  /** The last entry's `seq` in the store; 0 for an empty log. `claimed`: the last `seq` that a client has. */
  head(claimed = 0): Promise<number> {
    return this.#serialize(async () => {
      if (this.#state === undefined) return (await this.#loaded(claimed)).head;
      await this.#readForward(undefined, undefined);
      // A client ahead of the known head: the entries between have expired, so the head must be found again.
      if (claimed > this.#state.head) this.#state = undefined;
      return (await this.#loaded(claimed)).head;
    });
  }

  async read(seq: number): Promise<LogEntry | undefined> {
    return (await this.#deps.store.get(entryKey(this.#deps.channel, this.#room, seq)))?.value;
  }

  /** Whether this process has seen the entry in the log. */
  knows(once: string): boolean {
    return this.#state?.ids?.seqOf(once) !== undefined;
  }

  /** Appends the entry unless it is a duplicate. Resolves to its `seq`. */
  append(entry: LogEntry, lookBack: LookBack): Promise<number> {
    return this.#serialize(async () => {
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
      throw new AppError("unavailable", "too many gateways write to this conversation at once; retry");
    });
  }

  /** Reads entries that other gateways have appended; resolves to the head. `expected`: the `seq` of a signal. */
  advance(expected?: number, seen?: (seq: number, entry: LogEntry) => void): Promise<number> {
    return this.#serialize(async () => {
      const before = await this.#loaded();
      if (expected !== undefined && expected <= before.head) return before.head;
      await this.#readForward(expected, seen);
      if (expected === undefined || expected <= before.head) return before.head;
      // A signal ahead of the known head: as above.
      this.#state = undefined;
      return (await this.#loaded()).head;
    });
  }

  /** Deletes all entries, each after `before`. Their numbers are not used again, because clients may have some of them. */
  deleteAll(before: (entry: LogEntry) => Promise<void>): Promise<void> {
    return this.#serialize(async () => {
      await this.#readForward(undefined, undefined);
      const { head } = await this.#loaded();
      const { store, clock, channel, retentionMs } = this.#deps;
      await update(store, headHintKey(channel, this.#room), (stored) =>
        stored && stored.seq > head ? stored : { seq: head, at: clock.now(), retentionMs },
      );
      let first = head + 1;
      while (first > 1 && (await this.read(first - 1)) !== undefined) first--;
      // From the first to the last: after a crash, the rest is found below the head, without a gap.
      for (let seq = first; seq <= head; seq++) {
        const entry = await this.read(seq);
        if (entry !== undefined) await before(entry);
        await store.delete(entryKey(channel, this.#room, seq));
      }
      this.#state = undefined;
    });
  }

  async #tryAppend(entry: LogEntry): Promise<number | undefined> {
    const state = await this.#loaded();
    const seq = state.head + 1;
    await this.#updateHint(state);
    const { store, channel, retentionMs } = this.#deps;
    const created = await createOnce(store, entryKey(channel, this.#room, seq), entry, { ttlMs: retentionMs });
    if (created === undefined) return undefined;
    this.#record(seq, entry);
    return seq;
  }

  /** Reads entries after the head until one is absent. */
  async #readForward(expected: number | undefined, seen: ((seq: number, entry: LogEntry) => void) | undefined) {
    const state = await this.#loaded();
    for (let size = 1; ; size = READ_BATCH) {
      const count = expected === undefined ? size : Math.min(expected - state.head, READ_BATCH);
      if (count <= 0) return;
      const first = state.head + 1;
      const found = await Promise.all(Array.from({ length: count }, (_, index) => this.read(first + index)));
      for (const [index, entry] of found.entries()) {
        if (entry === undefined) {
          state.seenAt = this.#deps.clock.now();
          return;
        }
        this.#record(first + index, entry);
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
    // Batches grow: a gateway that takes over a busy conversation has minutes of entries to search.
    let size = FIRST_LOOK_BACK;
    for (; ids.seqOf(once) === undefined && ids.low > floor; size = Math.min(4 * size, MAX_LOOK_BACK)) {
      const last = ids.low;
      const count = Math.min(size, last - floor);
      const found = await Promise.all(Array.from({ length: count }, (_, index) => this.read(last - index)));
      for (const entry of found) ids.prepend(entry?.once);
      const oldest = found.at(-1);
      if (oldest === undefined || (since !== undefined && oldest.at < since)) break;
    }
    const found = ids.seqOf(once);
    if (since !== undefined && found === undefined) ids.completeSince = Math.min(ids.completeSince, since);
    return found;
  }

  #record(seq: number, entry: LogEntry): void {
    if (this.#state === undefined) return;
    idsOf(this.#state).append(seq, entry.once);
    this.#state.head = seq;
    this.#state.seenAt = this.#deps.clock.now();
  }

  async #loaded(claimed?: number): Promise<LogState> {
    const { store, clock, channel, retentionMs } = this.#deps;
    // Old state is discarded: its entries may have expired, and other gateways may have appended more.
    if (this.#state && clock.now() - this.#state.seenAt < retentionMs / 2) return this.#state;
    const hint = (await store.get(headHintKey(channel, this.#room)))?.value;
    const present = async (seq: number) => (await this.read(seq)) !== undefined;
    return this.#setState(await findHead(present, hint ?? this.#firstHint(), clock.now(), claimed), hint);
  }

  #setState(head: number, hint: HeadHint | undefined): LogState {
    this.#state = { head, seenAt: this.#deps.clock.now(), ids: undefined, hint };
    return this.#state;
  }

  #firstHint(): HeadHint {
    const { visitor, thread } = this.#room;
    const at = thread === undefined ? visitorCreatedAt(visitor) : threadCreatedAt(thread);
    return { seq: 0, at, retentionMs: this.#deps.retentionMs };
  }

  /** Moves the hint before an append would exceed MAX_HINT_LAG. */
  async #updateHint(state: LogState): Promise<void> {
    const { store, clock, channel, retentionMs } = this.#deps;
    const { hint = this.#firstHint(), head } = state;
    const now = clock.now();
    const fits = head + 1 - hint.seq <= MAX_HINT_LAG && hint.retentionMs === retentionMs && now - hint.at < retentionMs;
    if (fits) return;
    const { after } = await update(store, headHintKey(channel, this.#room), (stored) =>
      stored && stored.seq > head ? stored : { seq: head, at: now, retentionMs },
    );
    state.hint = after;
  }

  /** Runs one step at a time, so that this process does not race with itself. */
  #serialize<T>(step: () => Promise<T>): Promise<T> {
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

const FIRST_LOOK_BACK = 4;
const READ_BATCH = 16;
const MAX_LOOK_BACK = 256;
const MAX_ATTEMPTS = 100;
