import type { BudgetNotice } from "../budgets/index.ts";
import type { FileRef } from "../contract/file-ref.ts";
import type { AgentRef } from "../contract/messages/addresses.ts";
import type { AgentReply, ReplyAction, ReplyCause } from "../contract/messages/agent-reply.ts";
import { type Conversation, conversationKey } from "../contract/messages/conversation.ts";
import { subjectsOf } from "../contract/messages/subjects.ts";
import type { Audience, ReplyOrigin } from "../contract/messages/work-context.ts";
import type { Bus } from "../contract/ports/bus.ts";
import type { TurnRecord } from "../turns/record/index.ts";

interface Draft extends AgentRef {
  /** Deterministic, as is createdAt, so that publishing again produces a duplicate that the bus drops. */
  readonly id: string;
  readonly sessionId: string | null;
  readonly markdown: string;
  readonly outcome?: NonNullable<AgentReply["outcome"]>;
  readonly actions?: ReplyAction[];
  readonly files?: FileRef[];
  readonly data?: Record<string, unknown>;
  readonly audience: Audience;
  readonly onlyFor?: string;
  readonly mayRepeat?: boolean;
  readonly createdAt: string;
  readonly traceId: string;
}

/** The answer to a message; `correlationId` is the id of that message. */
export interface SolicitedReply extends Draft {
  readonly kind: "final" | "progress" | "completion";
  readonly correlationId: string;
  readonly answers?: string;
  readonly origin: ReplyOrigin;
}

/** A proactive message. It must have an origin, so that its readers know what it is about (O6). */
export interface UnsolicitedReply extends Draft {
  readonly kind: "final" | "progress" | "completion";
  readonly correlationId?: never;
  readonly origin: ReplyOrigin;
  readonly cause?: ReplyCause;
}

/** An acknowledgement or a system message; it has no anchor (O7). */
export interface Notice extends Draft {
  readonly kind: "notice";
  readonly correlationId?: string;
  readonly answers?: string;
  readonly origin: null;
}

export type ReplyDraft = SolicitedReply | UnsolicitedReply | Notice;

/** Core publishes every message to people through this function (O6). The reply is stored when it resolves. */
export const publishReply = async (bus: Bus, draft: ReplyDraft): Promise<void> => {
  const subject = subjectsOf(draft.tenant).userResponse(draft.agent);
  await bus.publish(subject, { ...draft }, { id: draft.id, key: conversationKey(draft.audience.conversation) });
};

/** The private conversation of an account that the caller's command affects. */
interface Recipient {
  readonly agent: string;
  readonly accountId: string;
  readonly conversation: Conversation;
}

interface Notification {
  readonly tenant: string;
  /** The turn of the command; the notification's id is made of it, of `about` and of the conversation. */
  readonly record: TurnRecord;
  readonly about: string;
  readonly markdown: string;
  readonly actions?: ReplyAction[];
}

/** Notifies an account of a command given elsewhere. The same command always uses the same id. */
export const notifyAccount = (
  bus: Bus,
  { agent, accountId, conversation }: Recipient,
  { tenant, record, about, markdown, actions }: Notification,
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

/** Publishes a warning about a budget. A repeat after a crash has the same id, and the relay drops it. */
export const publishBudgetNotice =
  (bus: Bus) =>
  (notice: BudgetNotice): Promise<void> =>
    publishReply(bus, { ...notice, kind: "notice", sessionId: null, origin: null, mayRepeat: true });
