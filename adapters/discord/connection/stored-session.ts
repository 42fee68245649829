import { z } from "zod";
import { messageOf, RevisionConflict } from "../../../core/contract/app-error.ts";
import type { Timer } from "../../../core/contract/ports/clock.ts";
import { collection, keyOf } from "../../../core/contract/ports/store.ts";
import type { AdapterContext } from "../../contract/adapter-context.ts";

const ResumableSession = z.looseObject({
  sessionId: z.string(),
  resumeUrl: z.string(),
  /** All events up to this one are handled. May lag behind, but never runs ahead. */
  sequence: z.int(),
  /** A session keeps the intents that it began with. */
  intents: z.int(),
  botId: z.string(),
  applicationId: z.string(),
});
export type ResumableSession = z.infer<typeof ResumableSession>;

const sessions = collection("discord-sessions", ResumableSession);

type Deps = Pick<AdapterContext, "channel" | "store" | "clock" | "logger"> & { readonly saveEveryMs: number };

/**
 * Discord keeps a session for minutes after its connection ends. The next process resumes it and receives all events
 * since then, including new conversations, which a catch-up would not know to fetch.
 */
export class StoredSession {
  readonly #deps: Deps;
  #session: ResumableSession | undefined;
  #handled = new HandledSequence(0);
  #revision: number | undefined;
  #timer: Timer | undefined;
  #saved: Promise<void> = Promise.resolve();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async load(intents: number): Promise<ResumableSession | undefined> {
    const session = (await this.#deps.store.get(this.#key))?.value;
    return session?.intents === intents ? session : undefined;
  }

  /** This process owns the session from now on. */
  async began(session: ResumableSession): Promise<void> {
    this.#session = session;
    this.#handled = new HandledSequence(session.sequence);
    this.#revision = undefined;
    await this.#save();
  }

  /** `work` resolves to false if a stop interrupted it, so that Discord must send the event again. */
  async track(sequence: number, work: Promise<boolean>): Promise<void> {
    const handled = this.#handled;
    handled.begin(sequence);
    // A failed event would fail again.
    const isDone = await work.catch(() => true);
    if (!isDone) return;
    handled.end(sequence);
    this.#saveLater();
  }

  /** Stores the position for the next process, which receives the events after it. */
  async handOver(): Promise<void> {
    await this.#save();
    this.#session = undefined;
  }

  async forget(): Promise<void> {
    await this.#deps.store.delete(this.#key).catch(() => undefined);
  }

  get #key() {
    return keyOf(sessions, this.#deps.channel);
  }

  #saveLater(): void {
    if (this.#session === undefined) return;
    this.#timer ??= this.#deps.clock.after(this.#deps.saveEveryMs, () => void this.#save());
  }

  #save(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#saved = this.#saved.then(() => this.#store());
    return this.#saved;
  }

  async #store(): Promise<void> {
    const { store, logger } = this.#deps;
    if (this.#session === undefined) return;
    const session = { ...this.#session, sequence: this.#handled.upTo };
    const ifRevision = this.#revision;
    try {
      this.#revision = await store.put(this.#key, session, ifRevision === undefined ? {} : { ifRevision });
    } catch (error) {
      // Another gateway is connected now and owns the record.
      if (error instanceof RevisionConflict) this.#session = undefined;
      else logger.warn({ error: messageOf(error) }, "could not store the Discord session");
    }
  }
}

/** Tracks the sequence number up to which all events of a session are handled. */
class HandledSequence {
  readonly #inFlight = new Set<number>();
  #last: number;

  constructor(last: number) {
    this.#last = last;
  }

  get upTo(): number {
    let upTo = this.#last;
    for (const sequence of this.#inFlight) upTo = Math.min(upTo, sequence - 1);
    return upTo;
  }

  begin(sequence: number): void {
    if (!Number.isSafeInteger(sequence)) return;
    this.#last = Math.max(this.#last, sequence);
    this.#inFlight.add(sequence);
  }

  end(sequence: number): void {
    this.#inFlight.delete(sequence);
  }
}
