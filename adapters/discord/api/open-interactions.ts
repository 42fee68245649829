import { z } from "zod";
import { collection, keyOf, type Store } from "../../../core/contract/ports/store.ts";

const OpenInteraction = z.looseObject({
  applicationId: z.string(),
  token: z.string(),
  /** The channel of the interaction; only replies there are its answer. */
  channelId: z.string(),
  accountId: z.string(),
  /** Only that account sees the answer. */
  ephemeral: z.boolean(),
});
export type OpenInteraction = z.infer<typeof OpenInteraction>;

/** Discord accepts answers for 15 minutes. */
const ANSWERABLE_MS = 15 * 60_000;
const openInteractions = collection("discord-interactions", OpenInteraction, { ttlMs: ANSWERABLE_MS });

/** Interactions that await an answer. Stored, because another process may send the answer. */
export class OpenInteractions {
  readonly #store: Store;
  /** Acknowledgements in progress: Discord rejects an answer that arrives before them. */
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
