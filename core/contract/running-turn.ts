import { z } from "zod";
import { Audience } from "./agent-reply.ts";

/** A turn that is under way in some process. */
export const RunningTurn = z.looseObject({
  turnId: z.string(),
  summary: z.string(),
  startedAt: z.iso.datetime(),
  audience: Audience,
});
export type RunningTurn = z.infer<typeof RunningTurn>;

/** Not stored: asks every process what it does for these accounts, or in a conversation. */
export const TurnsAsked = z.looseObject({
  ask: z.string(),
  accounts: z.array(z.object({ channel: z.string(), accountId: z.string() })),
  /** By its key. */
  conversation: z.string().optional(),
});
export type TurnsAsked = z.infer<typeof TurnsAsked>;

/** Not stored: one process's answer. */
export const TurnsTold = z.looseObject({ ask: z.string(), turns: z.array(RunningTurn) });
export type TurnsTold = z.infer<typeof TurnsTold>;

/** Not stored: whichever process runs these turns is to end them. */
export const TurnsStopped = z.looseObject({ turnIds: z.array(z.string()) });
export type TurnsStopped = z.infer<typeof TurnsStopped>;
