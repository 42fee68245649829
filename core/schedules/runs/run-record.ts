import { z } from "zod";
import type { ScheduleAddress } from "../../contract/messages/addresses.ts";
import { Audience } from "../../contract/messages/work-context.ts";
import { collection, keyOf, prefixOf } from "../../contract/ports/collection.ts";
import { UndeliverableResult } from "../../delivery/undeliverable/index.ts";

/** The outcome of a due time: a run, or the reason why there was none. */
export const ScheduleRun = z.looseObject({
  /** Its due time, or the id of the request that started it by hand. */
  name: z.string(),
  dueAt: z.iso.datetime(),
  state: z.enum(["started", "ended", "skipped"]),
  /** The actual start. */
  firedAt: z.iso.datetime(),
  /** It covers all due times up to this one. */
  through: z.iso.datetime(),
  sessionId: z.string().optional(),
  /** The audience of its result, fixed at the start. */
  audience: Audience.optional(),
  /** Set if the chosen target is unreachable; the facts for the notice about it. */
  gone: UndeliverableResult.optional(),
  outcome: z.string().optional(),
  /** Why there was no run. */
  reason: z.string().optional(),
});
export type ScheduleRun = z.infer<typeof ScheduleRun>;

const runs = collection("schedule-runs", ScheduleRun, { ttlMs: 30 * 24 * 3_600_000 });

export const runKey = ({ tenant, agent, owner, id }: ScheduleAddress, name: string) =>
  keyOf(runs, tenant, agent, owner, id, name);
export const runsOf = ({ tenant, agent, owner, id }: ScheduleAddress) => prefixOf(runs, tenant, agent, owner, id);
