import type { Consumer } from "../contract/bus.ts";
import type { ScheduleDue } from "../contract/schedule.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { FallbackDeps } from "../delivery/undeliverable/index.ts";
import type { Agent } from "../turns/index.ts";
import { dueId } from "./due-id.ts";
import { DueWatch } from "./due-watch.ts";
import { handleBuriedDue, handleScheduleDue } from "./handle-schedule-due.ts";
import type { ScheduleDeps } from "./schedule-parts.ts";
import { type ConfiguredSchedule, syncConfigured } from "./sync-configured.ts";

const HANDLERS_AT_ONCE = 64;

/** What the configuration says about an agent's schedules. */
export interface ScheduleOptions extends Partial<Omit<FallbackDeps, "store">> {
  readonly schedules?: readonly ConfiguredSchedule[] | undefined;
}

/** Begins the runs of an agent's schedules. Every core process watches the time; the bus sees to it that one acts. */
export const startSchedules = async (
  parts: ScheduleDeps,
  agent: Agent,
  { schedules = [], home, hasChannel = () => true }: ScheduleOptions = {},
): Promise<Consumer> => {
  const runParts = { ...parts, home, hasChannel };
  const subject = subjectsOf(agent.tenant).scheduleDue(agent.name);
  const consumer = await parts.bus.consume(
    subject,
    {
      durable: "schedules",
      concurrency: HANDLERS_AT_ONCE,
      // One that does not parse is nobody's.
      buried: async (due) => due && handleBuriedDue(parts, due),
    },
    (due) => handleScheduleDue(runParts, due),
  );
  const tell = async (due: ScheduleDue): Promise<void> => {
    await parts.bus.publish(subject, due, { id: dueId(due), key: `${due.owner} ${due.id}` });
  };
  const place = { tenant: agent.tenant, agent: agent.name };
  const watch = new DueWatch(
    {
      ...parts,
      prepare: () => syncConfigured(parts, place, schedules),
      tell: ({ schedule, dueAt }) => tell({ ...schedule, dueAt }),
    },
    place,
  );
  await watch.start();
  return {
    async close() {
      await watch.stop();
      await consumer.close();
    },
  };
};
