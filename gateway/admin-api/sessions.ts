import { z } from "zod";
import { AgentPageQuery, type Asker, type ConversationAddress, type Page, PageQuery } from "./shapes.ts";
import type { Turn } from "./traces.ts";

export interface Session {
  readonly sessionId: string;
  readonly agent: string;
  readonly tenant: string;
  readonly kind: "conversation" | "background";
  readonly conversation: ConversationAddress;
  readonly asker: Asker;
  readonly turns: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly lastSummary: string;
}

export interface TakeoverState {
  readonly sessionId: string;
  readonly agent: string;
  readonly tenant: string;
  readonly conversation: ConversationAddress;
  /** The name that the person sees. */
  readonly operator: string;
  readonly reason: string;
  readonly startedAt: string;
  readonly endsAt: string;
  /** It is the takeover of the operator who asks. */
  readonly isOwn: boolean;
}

export interface TranscriptEntry {
  readonly at: string;
  /** In a background session, `person` is the prompt of the work. */
  readonly from: "person" | "agent" | "operator";
  readonly text: string;
}

/** The words of a session, for an operator who has given a reason. */
export interface Transcript {
  readonly sessionId: string;
  readonly agent: string;
  readonly tenant: string;
  readonly conversation: ConversationAddress;
  readonly asker: Asker;
  /** The operator may read until then. */
  readonly until: string;
  readonly takeover?: TakeoverState;
  /** Oldest first, at most the last 200. */
  readonly entries: readonly TranscriptEntry[];
}

const Reason = z.string().trim().min(5, "must say why, in at least 5 characters").max(500);
const Minutes = z.int().min(1).max(120).default(15);
const agent = z.string();

export const sessionRequests = {
  "POST sessions/:sessionId/break-glass": z.strictObject({ agent, reason: Reason, minutes: Minutes }),
  "GET sessions/:sessionId/transcript": z.object({ agent }),
  "POST sessions/:sessionId/takeover": z.strictObject({
    agent,
    name: z.string().trim().min(1).max(60),
    reason: Reason,
    minutes: Minutes,
  }),
  "POST sessions/:sessionId/takeover/answer": z.strictObject({
    agent,
    /** Chosen by the client: a retry with the same id sends the answer once. */
    id: z.string().regex(/^[\w-]{8,64}$/, "must be 8 to 64 letters, digits, - or _"),
    text: z.string().trim().min(1).max(10_000),
  }),
  "POST sessions/:sessionId/takeover/end": z.strictObject({ agent }),
  "GET sessions": AgentPageQuery,
  "GET sessions/:sessionId/turns": PageQuery.extend({ agent: z.string() }),
};

export interface SessionAnswers {
  "GET sessions": Page<Session>;
  "POST sessions/:sessionId/break-glass": { readonly until: string };
  "GET sessions/:sessionId/transcript": Transcript;
  "POST sessions/:sessionId/takeover": TakeoverState;
  "POST sessions/:sessionId/takeover/answer": { readonly replyId: string };
  "POST sessions/:sessionId/takeover/end": { readonly done: true };
  "GET takeovers": { readonly items: readonly TakeoverState[] };
  "GET sessions/:sessionId/turns": Page<Turn>;
}
