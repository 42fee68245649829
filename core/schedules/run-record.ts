import { z } from "zod";
import { Audience } from "../contract/agent-reply.ts";
import { collection, keyOf, prefixOf } from "../contract/collection.ts";
import type { ScheduleAddress } from "../contract/schedule.ts";
import { UndeliverableResult } from "../delivery/undeliverable/index.ts";

/** What became of a due time: every one has a run, or the reason why it has none. */
export const ScheduleRun = z.looseObject({
  /** Its due time, or the name of the wish to have it by hand. */
  name: z.string(),
  dueAt: z.iso.datetime(),
  state: z.enum(["started", "ended", "skipped"]),
  /** When it really began. */
  firedAt: z.iso.datetime(),
  /** It stands for all due times up to this one. */
  through: z.iso.datetime(),
  sessionId: z.string().optional(),
  /** Who sees its result, fixed when it began. */
  audience: Audience.optional(),
  /** Its place is gone: who is told of it, and how. */
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
