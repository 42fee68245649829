import type { Audience } from "../contract/messages/work-context.ts";

/** An account and its channel. */
export interface OwnAccount {
  readonly channel: string;
  readonly accountId: string;
}

/** The account that asked for the work, wherever the answer goes; undefined if no account asked. */
export const askingAccount = ({ conversation, accountId, askedBy }: Audience): OwnAccount | undefined =>
  askedBy ?? (accountId === undefined ? undefined : { channel: conversation.channel, accountId });
