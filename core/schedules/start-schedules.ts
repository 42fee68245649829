import { subjectsOf } from "../contract/messages/subjects.ts";
import type { Consumer } from "../contract/ports/bus.ts";
import type { FallbackDeps } from "../delivery/undelivered/index.ts";
import type { LastSeen } from "../people/index.ts";
import type { BlockedAccounts } from "../rights/index.ts";
import type { Agent } from "../turns/index.ts";
import { publishDue } from "./due-index.ts";
import { DueWatch } from "./due-watch.ts";
import { handleDeadDue, handleScheduleDue } from "./runs/index.ts";
import type { ScheduleDeps } from "./schedule-record.ts";
import { type ConfiguredSchedule, syncConfigured } from "./sync-configured.ts";

const MAX_CONCURRENT_HANDLERS = 64;

/** The configured schedules of an agent and its fallback targets. */
export interface ScheduleOptions extends Partial<Omit<FallbackDeps, "store">> {
  readonly schedules?: readonly ConfiguredSchedule[] | undefined;
}

/** Starts the runs of an agent's schedules. Every core process watches the due times; the bus deduplicates them. */
export const startSchedules = async (
  deps: ScheduleDeps & { readonly lastSeen: LastSeen; readonly blocked?: BlockedAccounts },
  agent: Agent,
  { schedules = [], home, hasChannel = () => true }: ScheduleOptions = {},
): Promise<Consumer> => {
  const runDeps = { ...deps, agent, home, hasChannel };
  const subject = subjectsOf(agent.tenant).scheduleDue(agent.name);
  const consumer = await deps.bus.consume(
    subject,
    {
      durable: "schedules",
      concurrency: MAX_CONCURRENT_HANDLERS,
      // `due` is undefined if the message does not parse.
      onDeadLetter: async (due) => due && handleDeadDue(deps, due),
    },
    (due) => handleScheduleDue(runDeps, due),
  );
  const ref = { tenant: agent.tenant, agent: agent.name };
  const watch = new DueWatch(
    {
      ...deps,
      prepare: () => syncConfigured(deps, ref, schedules),
      publish: ({ schedule, dueAt }) => publishDue(deps, { ...schedule, dueAt }),
    },
    ref,
  );
  await watch.start();
  return {
    async close() {
      await watch.stop();
      await consumer.close();
    },
  };
};
