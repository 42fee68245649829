import { z } from "zod";
import { type ConversationAddress, type Page, PageQuery } from "./shapes.ts";

type GatewayState = "running" | "standby" | "degraded";

export interface Channel {
  readonly channel: string;
  readonly adapter: string;
  readonly agent: string;
  readonly tenant: string;
  /** The best state of its gateways, or paused. */
  readonly state: GatewayState | "paused";
  readonly reason?: string;
  readonly paused?: { readonly at: string; readonly by: { readonly role: string; readonly token: string } };
  readonly lastInAt?: string;
  readonly lastOutAt?: string;
  /** Newest first. */
  readonly errors: readonly {
    readonly at: string;
    readonly what: "intake" | "delivery" | "connection";
    readonly reason: string;
    /** Consecutive occurrences. */
    readonly count: number;
  }[];
  /** Dead letters, up to MAX_UNDELIVERED_COUNT. */
  readonly undelivered: number;
  readonly gateways: readonly {
    readonly instance: string;
    readonly state: GatewayState;
    readonly reason?: string | undefined;
    readonly seenAt: string;
  }[];
}

/** Counting stops here, so this number stands for itself or more. */
export const MAX_UNDELIVERED_COUNT = 100;

/** A conversation that the platform accepts no messages for. */
export interface UnreachableConversation {
  readonly conversation: ConversationAddress;
  /** The other account of a private conversation. */
  readonly accountId?: string;
  /** The state that the adapter reports, such as "blocked". */
  readonly state: string;
  readonly reason: string;
  readonly since: string;
  /** Time of the next attempt; absent: when the platform reports a change. */
  readonly askAgainAt?: string | undefined;
}

export interface ChannelLogLine {
  /** Increases within a run of the process. */
  readonly seq: number;
  readonly at: string;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  /** Secrets are masked; logs have no words of people. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Log lines of a channel in the process that answers. */
export interface ChannelLog {
  readonly instance: string;
  /** Unique for each run of the process. */
  readonly run: string;
  /** Lines below this level are not logged. */
  readonly logLevel: string;
  readonly lines: readonly ChannelLogLine[];
  /** Older lines that this reader was too slow for. */
  readonly dropped: number;
}

const TestText = z.string().trim().min(1).max(500).default("This is a test message from the operator of this service.");

export const channelRequests = {
  "POST channels/:channel/test": z.union([
    z.strictObject({ account: z.string().min(1), text: TestText }),
    z.strictObject({
      room: z.string().min(1),
      workspace: z.string().min(1).optional(),
      thread: z.string().min(1).optional(),
      text: TestText,
    }),
  ]),
  "GET channels/:channel/unreachable": PageQuery,
  "GET channels/:channel/log": z.object({ level: z.enum(["debug", "info", "warn", "error"]).default("debug") }),
};

export interface ChannelAnswers {
  "GET channels": { readonly items: readonly Channel[] };
  "GET channels/:channel": Channel;
  "POST channels/:channel/pause": Channel;
  "POST channels/:channel/resume": Channel;
  "POST channels/:channel/test": { readonly replyId: string; readonly conversation: ConversationAddress };
  "GET channels/:channel/unreachable": Page<UnreachableConversation>;
  /** Server-sent events. */
  "GET channels/:channel/log": ChannelLog;
}
