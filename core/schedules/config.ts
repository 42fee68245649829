import { z } from "zod";
import { messageOf } from "../contract/app-error.ts";
import { Name } from "../contract/ports/token.ts";
import { Home } from "../delivery/index.ts";
import { MAX_DESCRIPTION_CHARS, MAX_PROMPT_CHARS } from "./create-schedule.ts";
import { nextDue, readWhen, type When } from "./when/index.ts";

/** Intervals count from a fixed moment, so that a restart does not shift them. */
export const configuredWhen = ({ when, timeZone }: { when: string; timeZone: string }): When =>
  readWhen(when, { now: 0, timeZone });

/** A schedule as operators write it. */
export const ScheduleInput = z.strictObject({
  description: z.string().min(1).max(MAX_DESCRIPTION_CHARS).describe("What people read with each result."),
  prompt: z.string().min(1).max(MAX_PROMPT_CHARS).describe("What the agent is to do."),
  when: z.string().describe('A cron expression of five fields, an ISO time, or "every 2 h".'),
  timeZone: z.string().default("UTC").describe("The IANA name of the zone that `when` is read in."),
  deliverTo: Home.optional().describe("A room, or a person by name. Without it: the agent's home."),
  missed: z.enum(["once", "skip"]).default("once").describe("What becomes of times that pass while nothing runs."),
});

export const ScheduleConfig = z
  .strictObject({ name: Name, ...ScheduleInput.shape })
  .superRefine(({ when, timeZone }, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", path: ["when"], message });
    if (/^in\b/i.test(when.trim())) return refuse("must be a time that stays the same, not one counted from now");
    try {
      if (nextDue(configuredWhen({ when, timeZone }), 0) === undefined) refuse("is a date that never comes");
    } catch (error) {
      refuse(messageOf(error));
    }
  });
export type ScheduleConfig = z.infer<typeof ScheduleConfig>;
