import type { Bus } from "../../contract/ports/bus.ts";
import { publishReply } from "../../delivery/index.ts";
import { stableId } from "../../lib/index.ts";
import type { Schedule } from "../schedule-record.ts";
import { promptOfRun, runMessage, type ScheduleRun } from "./run-record.ts";

/**
 * Tells the person that a budget refused a run: once a day for a schedule that repeats, and always for a reminder, with
 * its text, so that it is not lost. The notice of a day has one id, and the relay drops repeats.
 */
export const reportRefusedRun = async (
  { bus }: { readonly bus: Bus },
  schedule: Schedule,
  run: ScheduleRun,
): Promise<void> => {
  const { audience, refused, firedAt } = run;
  if (audience === undefined || refused === undefined) return;
  const { tenant, agent, owner, id, description, when } = schedule;
  const { text, traceId } = runMessage(schedule, run, audience);
  const isReminder = when.kind === "once";
  const about = isReminder
    ? `I could not run “${description}”. It was: ${promptOfRun(text)}`
    : `The schedule “${description}” is skipped until the budget renews.`;
  await publishReply(bus, {
    id: stableId("refused", tenant, agent, owner, id, isReminder ? run.name : firedAt.slice(0, 10)),
    tenant,
    agent,
    sessionId: null,
    kind: "notice",
    markdown: `${about}\n\n${refused.text}`,
    ...(refused.actions.length > 0 && { actions: refused.actions }),
    origin: null,
    audience,
    mayRepeat: true,
    createdAt: firedAt,
    traceId,
  });
};
