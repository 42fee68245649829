import { z } from "zod";

/** Where a schedule is kept: by the account that made it, so that a person's schedules are found by their accounts. */
export const ScheduleAddress = z.looseObject({
  tenant: z.string(),
  agent: z.string(),
  /** The account's channel and id, or that it is declared in the configuration. */
  owner: z.string(),
  id: z.string(),
});
export type ScheduleAddress = z.infer<typeof ScheduleAddress>;

/** The time of a schedule has come. */
export const ScheduleDue = ScheduleAddress.extend({
  dueAt: z.iso.datetime(),
  /** Somebody wants a run now, besides those that are due: the name of that wish. */
  byHand: z.string().optional(),
});
export type ScheduleDue = z.infer<typeof ScheduleDue>;
