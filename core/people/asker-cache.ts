import type { UserMessage } from "../contract/user-message.ts";
import type { PersonRecord } from "./person-record.ts";

/** The person of an account as this process last saw it; a hint only, because another process may have linked it since. */
export type ResolvedAsker = Pick<PersonRecord, "id" | "membership">;

type Sender = Pick<UserMessage, "tenant" | "conversation" | "account">;

export class AskerCache {
  readonly #askers = new Map<string, ResolvedAsker>();

  last(message: Sender): ResolvedAsker | undefined {
    return this.#askers.get(nameOf(message));
  }

  met(message: Sender, { id, membership }: PersonRecord): void {
    if (this.#askers.size >= MAX_CACHED) this.#askers.clear();
    this.#askers.set(nameOf(message), { id, membership });
  }
}

const nameOf = ({ tenant, conversation, account }: Sender): string =>
  [tenant, conversation.channel, account.id].join("\n");

const MAX_CACHED = 20_000;
