/** What the admin API answers, as far as the console shows it: see docs/admin-api.md. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

export interface Me {
  readonly role: "platform_admin" | "org_admin";
  readonly tenant?: string;
  readonly version: string;
  readonly tenants: readonly string[];
  readonly agents: readonly { readonly name: string; readonly tenant: string }[];
}

export interface Conversation {
  readonly channel: string;
  readonly workspace?: string;
  readonly room: string;
  readonly thread?: string;
  readonly kind?: "private" | "shared";
}

export interface Origin {
  readonly channel: string;
  readonly promptSummary: string;
  readonly startedAt: string;
  readonly sessionId: string | null;
  readonly link?: string;
}

export interface Asker {
  readonly personId: string;
  readonly accountId: string;
  readonly name: string;
}

export interface ChannelError {
  readonly at: string;
  readonly what: "intake" | "delivery" | "connection";
  readonly reason: string;
  readonly count: number;
}

export interface ChannelGateway {
  readonly instance: string;
  readonly state: "running" | "standby" | "degraded";
  readonly reason?: string;
  readonly seenAt: string;
}

export interface Channel {
  readonly channel: string;
  readonly adapter: string;
  readonly agent: string;
  readonly tenant: string;
  readonly state: "running" | "standby" | "degraded" | "paused";
  readonly reason?: string;
  readonly paused?: { readonly at: string; readonly by: { readonly role: string; readonly token: string } };
  readonly lastInAt?: string;
  readonly lastOutAt?: string;
  readonly errors: readonly ChannelError[];
  readonly undelivered: number;
  readonly gateways: readonly ChannelGateway[];
}

/** A conversation that the platform takes nothing for. */
export interface UnreachablePlace {
  readonly conversation: Conversation;
  readonly accountId?: string;
  readonly state: "blocked" | "disabled" | "removed";
  readonly reason: string;
  readonly since: string;
  /** Absent: when something is heard from there. */
  readonly askAgainAt?: string;
}

export interface TestSent {
  readonly replyId: string;
  readonly conversation: Conversation;
}

export type DeliveryState =
  | "accepted"
  | "logged"
  | "published"
  | "claimed"
  | "begun"
  | "unknown"
  | "failed"
  | "withdrawn"
  | "given-up";

export interface Delivery {
  readonly conversation: Conversation;
  readonly part: number;
  readonly at?: string;
  readonly state: DeliveryState;
  readonly messageId?: string;
  readonly reason?: string;
  readonly ref?: string;
}

export interface Session {
  readonly sessionId: string;
  readonly agent: string;
  readonly tenant: string;
  readonly kind: "conversation" | "background";
  readonly conversation: Conversation;
  readonly asker: Asker;
  readonly turns: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly lastSummary: string;
}

export interface Subtask {
  readonly ref: string;
  readonly id: string;
  readonly agent: string;
  readonly tenant: string;
  readonly name: string;
  readonly agentType: string;
  readonly status: "pending" | "running" | "completed" | "failed" | "cancelled";
  readonly depth: number;
  readonly parent?: string;
  readonly origin: Origin;
  readonly asker: Asker;
  readonly note?: string;
  readonly result?: "success" | "partial" | "failed" | "timeout";
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly completedAt?: string;
  readonly traceId: string;
}

export interface Schedule {
  readonly ref: string;
  readonly id: string;
  readonly agent: string;
  readonly tenant: string;
  readonly description: string;
  readonly when: string;
  readonly missed: "once" | "skip";
  readonly madeIn: "chat" | "configuration" | "console";
  readonly status: "active" | "paused" | "ended" | "cancelled";
  readonly nextDueAt: string | null;
  readonly failures: number;
  readonly createdAt: string;
}

export interface ScheduleRun {
  readonly name: string;
  readonly dueAt: string;
  readonly through: string;
  readonly firedAt: string;
  readonly state: "started" | "ended" | "skipped";
  readonly outcome?: "answered" | "nothing" | "failed";
  readonly reason?: string;
  readonly messageId?: string;
}

export type DeadLetter =
  | {
      readonly ref: string;
      readonly kind: "delivery";
      readonly tenant: string;
      readonly channel: string;
      readonly conversation: Conversation;
      readonly origin: Origin | null;
      /** Of its trace. */
      readonly replyId?: string;
      readonly reason: string;
      readonly deadAt: string;
    }
  | {
      readonly ref: string;
      readonly kind: "message";
      readonly queue: string;
      readonly subject: string;
      readonly id: string;
      readonly reason: string;
      readonly attempts: number;
      readonly deadAt: string;
    };

export interface PersonAccount {
  readonly channel: string;
  readonly accountId: string;
  readonly name: string;
  readonly since: string;
  readonly declared: boolean;
}

export interface Person {
  readonly ref: string;
  readonly id: string;
  readonly tenant: string;
  readonly name?: string;
  readonly accounts: readonly PersonAccount[];
  readonly surfaces: readonly { readonly channel: string; readonly accountId: string; readonly since: string }[];
  readonly quiet?: "off" | { readonly from: string; readonly to: string; readonly timeZone?: string };
}

export interface Tenant {
  readonly id: string;
  readonly a2aAsync: boolean;
}

export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly operator: { readonly role: string; readonly tenant?: string; readonly token: string };
  readonly action: string;
  readonly target: Readonly<Record<string, string>>;
  readonly tenant?: string;
  readonly status?: number;
  readonly detail?: Readonly<Record<string, unknown>>;
}
