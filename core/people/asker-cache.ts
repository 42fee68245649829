import type { UserMessage } from "../contract/user-message.ts";
import type { PersonRecord } from "./person-record.ts";

/** Who an account was when this process last met it. Good for a guess only: it may have been linked elsewhere since. */
export type ResolvedAsker = Pick<PersonRecord, "id" | "membership">;

type Met = Pick<UserMessage, "tenant" | "conversation" | "account">;

export class AskerCache {
  readonly #askers = new Map<string, ResolvedAsker>();

  last(message: Met): ResolvedAsker | undefined {
    return this.#askers.get(nameOf(message));
  }

  met(message: Met, { id, membership }: PersonRecord): void {
    if (this.#askers.size >= MOST_KEPT) this.#askers.clear();
    this.#askers.set(nameOf(message), { id, membership });
  }
}

const nameOf = ({ tenant, conversation, account }: Met): string =>
  [tenant, conversation.channel, account.id].join("\n");

const MOST_KEPT = 20_000;
