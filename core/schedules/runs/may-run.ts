import type { Bus } from "../../contract/ports/bus.ts";
import type { Store } from "../../contract/ports/store.ts";
import type { Permit } from "../../contract/rights.ts";
import { english } from "../../contract/texts/texts.ts";
import { publishReply, textsForReaders } from "../../delivery/index.ts";
import { stableId } from "../../lib/index.ts";
import { askingAccount, findPerson, type LastSeen } from "../../people/index.ts";
import type { Agent } from "../../turns/index.ts";
import { needOf, type Schedule, type ScheduleDeps } from "../schedule-record.ts";
import { promptOfRun, runMessage, type ScheduleRun } from "./run-record.ts";

interface PauseDeps extends Pick<ScheduleDeps, "store" | "clock"> {
  readonly lastSeen: LastSeen;
}

const DAY_MS = 24 * 3_600_000;

/** Why a schedule must pause instead of running, for its audience; undefined if it may run (R1). */
export const reasonToPause = async (
  deps: PauseDeps,
  agent: Pick<Agent, "rights" | "pauseSchedulesAfterDays">,
  schedule: Schedule,
): Promise<string | undefined> => {
  const permit: Permit = agent.rights.permit(schedule.asker);
  if (!permit.allows(needOf(schedule.when))) return english.schedules.notAllowed;
  const days = agent.pauseSchedulesAfterDays;
  return (await isAway(deps, schedule, days * DAY_MS)) ? english.schedules.away(days) : undefined;
};

/** Only schedules that repeat and that a person made in a chat can outlive the interest in them. */
const isAway = async (
  { store, clock, lastSeen }: PauseDeps,
  { tenant, madeFor, when, resumedAt }: Schedule,
  awayMs: number,
): Promise<boolean> => {
  const account = madeFor && askingAccount(madeFor);
  if (account === undefined || when.kind === "once") return false;
  const address = { tenant, channel: account.channel, accountId: account.accountId };
  const { person } = await findPerson(store, address);
  const at = await lastSeen.of(address, person);
  // Versions up to 0.1.0 recorded no time: the count starts now.
  if (at === undefined) await lastSeen.record(address);
  if (at === undefined) return false;
  return clock.now() - Math.max(at, resumedAt === undefined ? 0 : Date.parse(resumedAt)) > awayMs;
};

/**
 * Tells the person that a budget refused a run: once a day for a schedule that repeats, and always for a reminder, with
 * its text, so that it is not lost. The notice of a day has one id, and the relay drops repeats.
 */
export const reportRefusedRun = async (
  { bus, store }: { readonly bus: Bus; readonly store: Store },
  schedule: Schedule,
  run: ScheduleRun,
): Promise<void> => {
  const { audience, refused, firedAt } = run;
  if (audience === undefined || refused === undefined) return;
  const { tenant, agent, owner, id, description, when } = schedule;
  const { text, traceId } = runMessage(schedule, run, audience);
  const isReminder = when.kind === "once";
  const { schedules } = await textsForReaders(store, { tenant, audience, asker: schedule.asker });
  const about = isReminder ? schedules.couldNotRun(description, promptOfRun(text)) : schedules.skipped(description);
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
