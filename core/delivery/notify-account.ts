import type { ReplyAction } from "../contract/agent-reply.ts";
import type { Bus } from "../contract/bus.ts";
import type { Conversation } from "../contract/conversation.ts";
import { conversationKey } from "../contract/conversation.ts";
import type { TurnRecord } from "../turns/index.ts";
import { publishReply } from "./publish-reply.ts";

/** A private conversation of somebody else than the caller, who is to hear of what the caller did. */
export interface Place {
  readonly agent: string;
  readonly accountId: string;
  readonly conversation: Conversation;
}

export interface Word {
  readonly tenant: string;
  /** What the caller did; with the place, it makes the word's id. */
  readonly record: TurnRecord;
  readonly about: string;
  readonly markdown: string;
  readonly actions?: ReplyAction[];
}

/** Tells an account of what was done in another place. The same command always says it under the same id. */
export const notifyAccount = (
  bus: Bus,
  { agent, accountId, conversation }: Place,
  { tenant, record, about, markdown, actions }: Word,
): Promise<void> =>
  publishReply(bus, {
    id: `${record.turnId}/${about}/${conversationKey(conversation)}`,
    tenant,
    agent,
    sessionId: null,
    kind: "notice",
    markdown,
    ...(actions !== undefined && { actions }),
    origin: null,
    audience: { conversation, personId: null, accountId },
    createdAt: record.openedAt,
    traceId: record.traceId,
  });
