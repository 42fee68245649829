import { describeWhen } from "./describe-when.ts";
import type { Schedule } from "./schedule-record.ts";

/** One line for people and models. */
export const describeSchedule = (
  { id, description, when, status, failures, nextDueAt }: Schedule,
  now: number,
): string => {
  const rhythm = describeWhen(when, nextDueAt === null ? now : Date.parse(nextDueAt) - 1);
  const trouble = failures === 0 ? "" : `, failed ${failures} times in a row`;
  return `"${description}" (${id}): ${rhythm}${status === "paused" ? ", paused" : ""}${trouble}`;
};
