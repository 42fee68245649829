import { z } from "zod";
import { collection, keyOf } from "../../core/contract/collection.ts";
import type { Store } from "../../core/contract/store.ts";

const OpenInteraction = z.looseObject({
  applicationId: z.string(),
  token: z.string(),
  /** Where it was made. An answer that goes elsewhere is no answer to it. */
  channelId: z.string(),
  accountId: z.string(),
  /** The answer is shown to that account only. */
  ephemeral: z.boolean(),
});
export type OpenInteraction = z.infer<typeof OpenInteraction>;

/** Discord takes answers for 15 minutes. */
const ANSWERABLE_MS = 15 * 60_000;
const openInteractions = collection("discord-interactions", OpenInteraction, { ttlMs: ANSWERABLE_MS });

/** Interactions that wait for their answer. Stored, because the answer may be sent by another process. */
export class OpenInteractions {
  readonly #store: Store;
  /** What Discord must have been told first: it refuses an answer that comes before. */
  readonly #acknowledging = new Map<string, Promise<void>>();

  constructor(store: Store) {
    this.#store = store;
  }

  async open(messageId: string, interaction: OpenInteraction): Promise<void> {
    await this.#store.put(keyOf(openInteractions, messageId), interaction);
  }

  acknowledging(messageId: string, acknowledged: Promise<void>): void {
    const done = acknowledged.catch(() => undefined).finally(() => this.#acknowledging.delete(messageId));
    this.#acknowledging.set(messageId, done);
  }

  async find(messageId: string): Promise<OpenInteraction | undefined> {
    await this.#acknowledging.get(messageId);
    return (await this.#store.get(keyOf(openInteractions, messageId)))?.value;
  }
}
