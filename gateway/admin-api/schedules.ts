import { AgentPageQuery, type Page, PageQuery } from "./shapes.ts";

export interface Schedule {
  readonly ref: string;
  readonly id: string;
  readonly agent: string;
  readonly tenant: string;
  readonly description: string;
  /** A description for people, with the next due time. */
  readonly when: string;
  readonly missed: "once" | "skip";
  readonly madeIn: "chat" | "configuration" | "console";
  readonly status: "active" | "paused" | "ended" | "cancelled";
  readonly nextDueAt: string | null;
  /** Consecutive failures. */
  readonly failures: number;
  readonly createdAt: string;
}

export interface ScheduleRun {
  readonly name: string;
  readonly dueAt: string;
  readonly through: string;
  readonly firedAt: string;
  readonly state: "started" | "ended" | "skipped";
  /** The outcome of its turn. */
  readonly outcome?: string;
  readonly reason?: string;
  /** Identifies its trace. */
  readonly messageId?: string;
}

/** The body that creates a schedule. The route validates it with the schema of configured schedules. */
export interface ScheduleRequest {
  readonly agent: string;
  readonly description: string;
  readonly prompt: string;
  readonly when: string;
  readonly timeZone?: string | undefined;
  readonly deliverTo?:
    | {
        readonly channel: string;
        readonly room: string;
        readonly workspace?: string | undefined;
        readonly thread?: string | undefined;
      }
    | { readonly person: string }
    | undefined;
  readonly missed?: "once" | "skip" | undefined;
}

export const scheduleRequests = {
  "GET schedules": AgentPageQuery,
  "GET schedules/:ref/runs": PageQuery,
};

export interface ScheduleAnswers {
  "GET schedules": Page<Schedule>;
  "POST schedules": Schedule;
  "GET schedules/:ref/runs": Page<ScheduleRun>;
  "POST schedules/:ref/run": Schedule;
  "POST schedules/:ref/cancel": Schedule;
  "POST schedules/:ref/resume": Schedule;
}
