import type { ConversationName, Seen } from "../account/account.ts";

/** A conversation that a person writes in. */
export interface Surface {
  readonly conversation: ConversationName;
  readonly isPrivate: boolean;
  /**
   * Sends the text until the product has accepted it. `again`: and once more, as a platform that missed the
   * acknowledgement. One at a time per conversation, so that the order is known.
   */
  say(text: string, again: boolean): Promise<void>;
}

/** The people of one platform. They record the messages that they see, without asking the product. */
export interface Crowd {
  /**
   * The platform can resolve a send whose response was lost: it deduplicates sends, or it can be queried. Outages
   * in these tests are short, so no outcome may stay unknown.
   */
  readonly tells: boolean;
  surfacesOf(person: string): readonly Surface[];
  /** Every message of the agent on the platform, in the order that people see. */
  seen(): readonly Seen[];
  /** Ignores the messages that are there now. */
  forget(): void;
}

/** The pause before a platform redelivers a refused event. */
export const AGAIN_AFTER_MS = 250;
