import type { ScheduleAddress } from "../../contract/messages/addresses.ts";
import { type SyntheticMessage, syntheticMessage } from "../../contract/messages/user-message.ts";
import type { Audience } from "../../contract/messages/work-context.ts";
import { stableId, summarisePrompt } from "../../lib/index.ts";
import { traceIdOf } from "../../turns/index.ts";
import type { Schedule } from "../schedule-record.ts";
import type { ScheduleRun } from "./run-record.ts";

/** The turn of a run: in its own session, anchored to the time it fired (O5). Deterministic for a run. */
export const runMessage = (schedule: Schedule, run: ScheduleRun, audience: Audience): SyntheticMessage => {
  const { owner, id, description, prompt, asker, link } = schedule;
  const isReminder = schedule.when.kind === "once" && schedule.madeIn === "chat";
  const { name, firedAt } = run;
  const sessionId = runSessionOf(schedule, name);
  const work = {
    sessionId,
    standing: {
      owner: { ownerType: "orchestrator", ownerId: sessionId, ...(link !== undefined && { sessionUri: link }) },
      background: true,
    },
    origin: {
      channel: "scheduled",
      promptSummary: summarisePrompt(description),
      startedAt: firedAt,
      sessionId,
      taskId: id,
      ...(link !== undefined && { link }),
      ...(isReminder && { isReminder }),
    },
    audience,
    asker,
    traceId: runTraceOf(schedule, name),
  } as const;
  return syntheticMessage(schedule, work, {
    id: runIdOf(schedule, name),
    type: "task",
    at: firedAt,
    text: `Scheduled task "${description}":\n\n${prompt}`,
    data: { schedule: { owner, id, run: name } },
  });
};

/** The prompt of a run: the text of its turn without the title. */
export const promptOfRun = (text: string): string => text.replace(/^Scheduled task "[\s\S]*?":\n\n/, "");

export const runIdOf = ({ tenant, agent, owner, id }: ScheduleAddress, run: string): string =>
  stableId("run", tenant, agent, owner, id, run);
export const runTraceOf = (schedule: ScheduleAddress, run: string): string =>
  traceIdOf({ ...schedule, id: runIdOf(schedule, run) });

export const runSessionOf = ({ tenant, agent, owner, id }: ScheduleAddress, run: string): string =>
  stableId("s", "run", tenant, agent, owner, id, run);
