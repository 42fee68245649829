import { z } from "zod";
import { messageOf } from "../contract/app-error.ts";
import { Name } from "../contract/ports/token.ts";
import { Home } from "../delivery/index.ts";
import { MAX_DESCRIPTION_CHARS, MAX_PROMPT_CHARS } from "./change-schedule.ts";
import { nextDue, readWhen, type When } from "./when/index.ts";

/** Intervals count from a fixed moment, so that a restart does not shift them. */
export const configuredWhen = ({ when, timeZone }: { when: string; timeZone: string }): When =>
  readWhen(when, { now: 0, timeZone });

/** A schedule as operators write it. */
export const ScheduleInput = z.strictObject({
  description: z.string().min(1).max(MAX_DESCRIPTION_CHARS).describe("The title that people see with each result."),
  prompt: z.string().min(1).max(MAX_PROMPT_CHARS).describe("The prompt of each run."),
  when: z.string().describe('A cron expression of five fields, an ISO time, or "every 2 h".'),
  timeZone: z.string().default("UTC").describe("The time zone of `when`, as an IANA name."),
  deliverTo: Home.optional().describe("A room, or a person by name. Without it: the agent's home."),
  missed: z
    .enum(["once", "skip"])
    .default("once")
    .describe("For times that passed during downtime: run once for all of them, or skip them."),
});

export const ScheduleConfig = z
  .strictObject({ name: Name.describe("Unique name of the schedule within its agent."), ...ScheduleInput.shape })
  .superRefine(({ when, timeZone }, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", path: ["when"], message });
    if (/^in\b/i.test(when.trim())) return refuse("must be a fixed time or an interval, not a time relative to now");
    try {
      if (nextDue(configuredWhen({ when, timeZone }), 0) === undefined) refuse("is a date that never occurs");
    } catch (error) {
      refuse(messageOf(error));
    }
  });
export type ScheduleConfig = z.infer<typeof ScheduleConfig>;
