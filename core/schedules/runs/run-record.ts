import { z } from "zod";
import type { ScheduleAddress } from "../../contract/messages/addresses.ts";
import { ReplyAction } from "../../contract/messages/agent-reply.ts";
import { type SyntheticMessage, syntheticMessage } from "../../contract/messages/user-message.ts";
import { Audience } from "../../contract/messages/work-context.ts";
import { collection, keyOf, prefixOf } from "../../contract/ports/store.ts";
import { UndeliverableResult } from "../../delivery/undelivered/index.ts";
import { stableId, summarisePrompt } from "../../lib/index.ts";
import { askingAccount } from "../../people/index.ts";
import { urlsIn } from "../../turns/index.ts";
import { traceIdOf } from "../../turns/record/index.ts";
import type { Schedule } from "../schedule-record.ts";

/** The outcome of a due time: a run, or the reason why there was none. */
export const ScheduleRun = z.looseObject({
  /** The run's due time, or the id of the request that started it by hand. */
  name: z.string(),
  dueAt: z.iso.datetime(),
  state: z.enum(["started", "ended", "skipped"]),
  /** The actual start. */
  firedAt: z.iso.datetime(),
  /** The run covers all due times up to this one. */
  through: z.iso.datetime(),
  sessionId: z.string().optional(),
  /** The audience of its result, fixed at the start. */
  audience: Audience.optional(),
  /** Set if the chosen target is unreachable; the facts for the notice about it. */
  gone: UndeliverableResult.optional(),
  outcome: z.string().optional(),
  /** The schedule pauses instead of running. */
  pauses: z.boolean().optional(),
  /** Set if a budget refused the run: the text for its person (R2). */
  refused: z.looseObject({ text: z.string(), actions: z.array(ReplyAction) }).optional(),
  /** Why there was no run. */
  reason: z.string().optional(),
});
export type ScheduleRun = z.infer<typeof ScheduleRun>;

const runs = collection("schedule-runs", ScheduleRun, { ttlMs: 30 * 24 * 3_600_000 });

export const runKey = ({ tenant, agent, owner, id }: ScheduleAddress, name: string) =>
  keyOf(runs, tenant, agent, owner, id, name);
export const runsOf = ({ tenant, agent, owner, id }: ScheduleAddress) => prefixOf(runs, tenant, agent, owner, id);

const askedIn = ({ madeFor, createdAt }: Schedule) => {
  const channel = (madeFor && askingAccount(madeFor))?.channel;
  return channel === undefined ? {} : { asked: { channel, at: createdAt } };
};

/** The turn of a run: in its own session, anchored to the time it fired (O5). Deterministic for a run. */
export const runMessage = (schedule: Schedule, run: ScheduleRun, audience: Audience): SyntheticMessage => {
  const { owner, id, description, prompt, asker, link } = schedule;
  const isReminder = schedule.when.kind === "once" && schedule.madeIn === "chat";
  const { name, firedAt } = run;
  // An operator has written the whole prompt; in a chat the model has.
  const urls = schedule.madeIn === "chat" ? (schedule.urls ?? []) : urlsIn(prompt);
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
      ...(isReminder && { isReminder, ...askedIn(schedule) }),
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
    data: { schedule: { owner, id, run: name }, ...(urls.length > 0 && { urls }) },
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
