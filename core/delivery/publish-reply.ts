import type { AgentReply, Audience, ReplyAction } from "../contract/agent-reply.ts";
import type { Bus } from "../contract/bus.ts";
import { conversationKey } from "../contract/conversation.ts";
import type { ReplyCause } from "../contract/reply-cause.ts";
import type { ReplyOrigin } from "../contract/reply-origin.ts";
import { subjectsOf } from "../contract/subjects.ts";

interface Draft {
  /** Deterministic, and createdAt with it: publishing again says the same. */
  readonly id: string;
  readonly tenant: string;
  readonly agent: string;
  readonly sessionId: string | null;
  readonly markdown: string;
  readonly outcome?: NonNullable<AgentReply["outcome"]>;
  readonly actions?: ReplyAction[];
  readonly data?: Record<string, unknown>;
  readonly audience: Audience;
  readonly onlyFor?: string;
  readonly mayRepeat?: boolean;
  readonly createdAt: string;
  readonly traceId: string;
}

/** Somebody waits for it, by the id of their message. */
export interface SolicitedReply extends Draft {
  readonly kind: "final" | "progress" | "completion";
  readonly correlationId: string;
  readonly origin: ReplyOrigin;
}

/** Nobody waits for it: without an origin nobody would know what it is about (O6). */
export interface UnsolicitedReply extends Draft {
  readonly kind: "final" | "progress" | "completion";
  readonly correlationId?: never;
  readonly origin: ReplyOrigin;
  readonly cause?: ReplyCause;
}

/** An acknowledgement or a word about the system: never anchored (O7). */
export interface Notice extends Draft {
  readonly kind: "notice";
  readonly correlationId?: string;
  readonly origin: null;
}

export type ReplyDraft = SolicitedReply | UnsolicitedReply | Notice;

/** The only way out of core: every word to people goes through here (O6). Stored when it resolves. */
export const publishReply = async (bus: Bus, draft: ReplyDraft): Promise<void> => {
  const subject = subjectsOf(draft.tenant).userResponse(draft.agent);
  await bus.publish(subject, { ...draft }, { id: draft.id, key: conversationKey(draft.audience.conversation) });
};
