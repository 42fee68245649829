import type { ScheduleDue } from "../../contract/messages/addresses.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { Schedule, ScheduleDeps } from "../schedule-record.ts";

/** Publishes a due time. Every core process does so, and the bus drops the duplicates by their id. */
export const publishDue = async ({ bus }: Pick<ScheduleDeps, "bus">, due: ScheduleDue): Promise<void> => {
  const { tenant, agent, owner, id, dueAt, byHand } = due;
  const occasion = byHand === undefined ? dueAt : `by hand ${byHand}`;
  const options = { id: `${owner} ${id} ${occasion}`, key: `${owner} ${id}` };
  await bus.publish(subjectsOf(tenant).scheduleDue(agent), due, options);
};

/** Starts an extra run at once. `requestId` makes it idempotent: the same request is the same run. */
export const runNow = async (deps: ScheduleDeps, schedule: Schedule, requestId: string): Promise<void> => {
  const { tenant, agent, owner, id } = schedule;
  await publishDue(deps, { tenant, agent, owner, id, dueAt: isoTime(deps.clock.now()), byHand: requestId });
};
