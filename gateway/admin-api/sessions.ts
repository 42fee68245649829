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

export const sessionRequests = {
  "GET sessions": AgentPageQuery,
  "GET sessions/:sessionId/turns": PageQuery.extend({ agent: z.string() }),
};

export interface SessionAnswers {
  "GET sessions": Page<Session>;
  "GET sessions/:sessionId/turns": Page<Turn>;
}
