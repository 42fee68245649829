import { isoTime } from "../contract/clock.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { ScheduleDeps } from "./schedule-parts.ts";
import type { Schedule } from "./schedule-record.ts";

/** Begins a run besides those that are due. The same wish is the same run. */
export const runNow = async ({ bus, clock }: ScheduleDeps, schedule: Schedule, wish: string): Promise<void> => {
  const { tenant, agent, owner, id } = schedule;
  const due = { tenant, agent, owner, id, dueAt: isoTime(clock.now()), byHand: wish };
  const subject = subjectsOf(tenant).scheduleDue(agent);
  await bus.publish(subject, due, { id: `${owner} ${id} by hand ${wish}`, key: `${owner} ${id}` });
};
