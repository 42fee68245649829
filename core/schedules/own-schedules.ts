import type { Audience } from "../contract/agent-reply.ts";
import { AppError } from "../contract/app-error.ts";
import type { Asker } from "../contract/owner-context.ts";
import { accountServed, askingAccount, mayContinue } from "../delivery/index.ts";
import { findPerson } from "../people/index.ts";
import { isOpen } from "./create-schedule.ts";
import type { ScheduleDeps } from "./schedule-parts.ts";
import type { Schedule } from "./schedule-record.ts";
import { ownerOf, schedulesOf } from "./schedule-record.ts";

/** For whom a schedule is looked up. */
export interface Seeker {
  readonly tenant: string;
  readonly agent: string;
  readonly asker: Asker;
  readonly audience: Audience;
}

/** The schedules of the person, whichever account made them, as far as who reads along here may see them; the next first, those that are over are left out. */
export const openSchedules = async (parts: ScheduleDeps, seeker: Seeker): Promise<Schedule[]> =>
  (await ownSchedules(parts, seeker)).filter(isOpen).sort(byNextTime);

const byNextTime = (a: Schedule, b: Schedule): number => (a.nextDueAt ?? "~").localeCompare(b.nextDueAt ?? "~");

const ownSchedules = async ({ store }: ScheduleDeps, seeker: Seeker): Promise<Schedule[]> => {
  const { tenant, agent, audience } = seeker;
  const own = askingAccount(audience) ?? accountServed(seeker);
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

/** Another person's schedule reads as absent: its id tells nobody that it exists. */
export const findSchedule = async (parts: ScheduleDeps, seeker: Seeker, id: string): Promise<Schedule> => {
  const found = (await openSchedules(parts, seeker)).find((schedule) => schedule.id === id.trim());
  if (found === undefined) {
    throw new AppError(
      "not-found",
      `you have no schedule "${id.trim().slice(0, 40)}"; list_schedules, or the command schedules, shows those you have`,
    );
  }
  return found;
};
