import { z } from "zod";
import { messageOf, RevisionConflict } from "../../core/contract/app-error.ts";
import type { Timer } from "../../core/contract/clock.ts";
import { collection, keyOf } from "../../core/contract/collection.ts";
import type { AdapterContext } from "../contract/adapter-context.ts";
import { TakenSequence } from "./taken-sequence.ts";

const ResumableSession = z.looseObject({
  sessionId: z.string(),
  resumeUrl: z.string(),
  /** All up to this event has been dealt with. Older than the truth now and then, never newer. */
  sequence: z.int(),
  /** A session keeps those that it began with. */
  intents: z.int(),
  botId: z.string(),
  applicationId: z.string(),
});
export type ResumableSession = z.infer<typeof ResumableSession>;

const sessions = collection("discord-sessions", ResumableSession);

type Parts = Pick<AdapterContext, "channel" | "store" | "clock" | "logger"> & { readonly saveEveryMs: number };

/**
 * The session that Discord keeps for minutes after its connection is gone. Whoever connects next resumes it, and is told
 * all that happened meanwhile, also where nobody has written before: nobody would know to fetch that.
 */
export class KeptSession {
  readonly #parts: Parts;
  #session: ResumableSession | undefined;
  #taken = new TakenSequence(0);
  #revision: number | undefined;
  #timer: Timer | undefined;
  #saved: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async load(intents: number): Promise<ResumableSession | undefined> {
    const session = (await this.#parts.store.get(this.#key))?.value;
    return session?.intents === intents ? session : undefined;
  }

  /** From now on it is this process that keeps it. */
  async began(session: ResumableSession): Promise<void> {
    this.#session = session;
    this.#taken = new TakenSequence(session.sequence);
    this.#revision = undefined;
    await this.#save();
  }

  /** `work`: resolves to false if it was broken off, and has to come again. */
  async take(sequence: number, work: Promise<boolean>): Promise<void> {
    const taken = this.#taken;
    taken.begin(sequence);
    // What failed would fail again.
    const isDone = await work.catch(() => true);
    if (!isDone) return;
    taken.end(sequence);
    this.#saveLater();
  }

  /** What this process has not dealt with is for the next one. */
  async handOver(): Promise<void> {
    await this.#save();
    this.#session = undefined;
  }

  async forget(): Promise<void> {
    await this.#parts.store.delete(this.#key).catch(() => undefined);
  }

  get #key() {
    return keyOf(sessions, this.#parts.channel);
  }

  #saveLater(): void {
    if (this.#session === undefined) return;
    this.#timer ??= this.#parts.clock.after(this.#parts.saveEveryMs, () => void this.#save());
  }

  #save(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#saved = this.#saved.then(() => this.#store());
    return this.#saved;
  }

  async #store(): Promise<void> {
    const { store, logger } = this.#parts;
    if (this.#session === undefined) return;
    const session = { ...this.#session, sequence: this.#taken.upTo };
    const ifRevision = this.#revision;
    try {
      this.#revision = await store.put(this.#key, session, ifRevision === undefined ? {} : { ifRevision });
    } catch (error) {
      // Another gateway is connected now, and keeps its own.
      if (error instanceof RevisionConflict) this.#session = undefined;
      else logger.warn({ error: messageOf(error) }, "the session with Discord could not be stored");
    }
  }
}
