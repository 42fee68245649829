import type { AgentRef } from "../contract/messages/addresses.ts";
import type { Asker, Audience } from "../contract/messages/work-context.ts";
import { textsFor } from "../contract/texts/texts.ts";
import { ToldError } from "../contract/texts/told-error.ts";
import { accountServed, mayContinue } from "../delivery/index.ts";
import { askingAccount, findPerson } from "../people/index.ts";
import { isOpen, ownerOf, type Schedule, type ScheduleDeps, schedulesOf } from "./schedule-record.ts";
import { describeWhen } from "./when/index.ts";

/** The person who asks for schedules, and the audience of the answer. */
export interface ScheduleViewer extends AgentRef {
  readonly asker: Asker;
  readonly audience: Audience;
}

/** The open schedules of a person over all their accounts, as far as everyone in this audience may see them; next due first. */
export const openSchedules = async (deps: ScheduleDeps, viewer: ScheduleViewer): Promise<Schedule[]> =>
  (await ownSchedules(deps, viewer)).filter(isOpen).sort(byNextTime);

const byNextTime = (a: Schedule, b: Schedule): number => (a.nextDueAt ?? "~").localeCompare(b.nextDueAt ?? "~");

const ownSchedules = async ({ store }: ScheduleDeps, viewer: ScheduleViewer): Promise<Schedule[]> => {
  const { tenant, agent, audience } = viewer;
  const own = askingAccount(audience) ?? accountServed(viewer);
  const { person } = await findPerson(store, { tenant, ...own });
  const owners = new Set([own, ...person.accounts].map(({ channel, accountId }) => ownerOf(channel, accountId)));
  const here = { tenant, conversation: audience.conversation };
  const found: Schedule[] = [];
  for (const owner of owners) {
    for await (const { value } of store.list(schedulesOf({ tenant, agent, owner }))) {
      const { madeFor } = value;
      if (madeFor && (await mayContinue(store, { audience: madeFor }, here))) found.push(value);
    }
  }
  return found;
};

/** Finds a schedule of the person. Other people's schedules are "not-found", so that ids do not reveal them. */
export const findSchedule = async (deps: ScheduleDeps, viewer: ScheduleViewer, id: string): Promise<Schedule> => {
  const found = (await openSchedules(deps, viewer)).find((schedule) => schedule.id === id.trim());
  if (found === undefined) {
    throw new ToldError("not-found", ({ schedules }) => schedules.unknown(id.trim().slice(0, 40)));
  }
  return found;
};

/** A schedule in one line, for people in their language and for models in English. */
export const describeSchedule = (
  { id, description, when, status, failures, nextDueAt }: Schedule,
  now: number,
  locale?: string,
): string => {
  const { schedules } = textsFor(locale);
  const rhythm = describeWhen(when, nextDueAt === null ? now : Date.parse(nextDueAt) - 1, locale);
  const failed = failures === 0 ? "" : schedules.failures(failures);
  return `${schedules.entry(description, id, rhythm)}${status === "paused" ? schedules.paused : ""}${failed}`;
};
