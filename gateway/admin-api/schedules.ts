import { z } from "zod";
import { AgentPageQuery, type Page, PageQuery } from "./shapes.ts";

export interface Schedule {
  readonly ref: string;
  readonly id: string;
  readonly agent: string;
  readonly tenant: string;
  readonly description: string;
  /** The account that made it in a chat; absent for schedules of the configuration and the console. */
  readonly owner?: { readonly channel: string; readonly accountId: string; readonly name: string };
  /** A description for people, with the next due time. */
  readonly when: string;
  readonly missed: "once" | "skip";
  readonly madeIn: "chat" | "configuration" | "console";
  readonly status: "active" | "paused" | "ended" | "cancelled";
  readonly nextDueAt: string | null;
  /** Its times are read in this zone. */
  readonly timeZone: string;
  /** Why it is paused; absent if that is not known. */
  readonly paused?: { readonly reason: string; readonly at: string };
  /** The last run at a due time. */
  readonly lastRun?: ScheduleRun;
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
  "GET schedules": AgentPageQuery.extend({ status: z.enum(["active", "paused"]).optional() }),
  "GET schedules/:ref/runs": PageQuery,
};

export interface ScheduleAnswers {
  "GET schedules": Page<Schedule>;
  "POST schedules": Schedule;
  "GET schedules/:ref/runs": Page<ScheduleRun>;
  "POST schedules/:ref/run": Schedule;
  "POST schedules/:ref/cancel": Schedule;
  "POST schedules/:ref/pause": Schedule;
  "POST schedules/:ref/resume": Schedule;
}
