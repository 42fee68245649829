import { z } from "zod";
import { type Page, PageQuery } from "./shapes.ts";

/** A blocked account. */
export interface Block {
  readonly ref: string;
  readonly tenant: string;
  readonly channel: string;
  readonly accountId: string;
  readonly reason?: string;
  readonly at: string;
  /** The account has had its one refusal. */
  readonly refusedAt?: string;
}

/** A message that a person has reported. */
export interface Report {
  readonly ref: string;
  readonly tenant: string;
  readonly agent: string;
  readonly reporter: { readonly channel: string; readonly accountId: string; readonly name: string };
  /** Identifies its trace. */
  readonly replyId: string;
  readonly at: string;
  readonly reason?: string;
  /** Only if the reporter chose to include it. */
  readonly text?: string;
}

/** A person's opinion of one answer. */
export interface Feedback {
  readonly ref: string;
  readonly tenant: string;
  readonly agent: string;
  readonly author: { readonly channel: string; readonly accountId: string; readonly name: string };
  /** Identifies its trace. */
  readonly replyId: string;
  /** Its transcript needs a reason. */
  readonly sessionId?: string;
  readonly rating: "up" | "down";
  /** The author's own words to the operators. */
  readonly comment?: string;
  readonly at: string;
}

/** Ratings by the time at which they were given, without those that were taken back. */
export interface FeedbackCounts {
  readonly range: "day" | "week";
  /** Oldest first: the hours of a day, or the days of a week, in UTC. */
  readonly times: readonly { readonly at: string; readonly up: number; readonly down: number }[];
  readonly total: { readonly up: number; readonly down: number };
}

const TenantPageQuery = PageQuery.extend({ tenant: z.string().optional() });

export const abuseRequests = {
  "GET blocks": TenantPageQuery,
  "POST blocks": z.strictObject({
    channel: z.string().min(1).max(200),
    accountId: z.string().min(1).max(500),
    reason: z.string().trim().min(1).max(500).optional(),
  }),
  "GET reports": TenantPageQuery,
  "GET feedback": TenantPageQuery.extend({
    rating: z.enum(["up", "down"]).optional(),
    agent: z.string().optional(),
    channel: z.string().optional(),
  }),
  "GET feedback/counts": z.object({
    range: z.enum(["day", "week"]).default("week"),
    tenant: z.string().optional(),
    agent: z.string().optional(),
  }),
};

export interface AbuseAnswers {
  "GET blocks": Page<Block>;
  "POST blocks": Block;
  "POST blocks/:ref/unblock": { readonly done: true };
  "GET reports": Page<Report>;
  "POST reports/:ref/dismiss": { readonly done: true };
  "GET feedback": Page<Feedback>;
  "GET feedback/counts": FeedbackCounts;
}
