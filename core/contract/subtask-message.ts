import { z } from "zod";
import { OwnerContext } from "./owner-context.ts";

/** Where a subtask is kept. */
export const SubtaskAddress = z.looseObject({ tenant: z.string(), agent: z.string(), id: z.string() });
export type SubtaskAddress = z.infer<typeof SubtaskAddress>;

/** From a subtask to its owner (S6). An end is told by "completion"; its result is in the subtask's record. */
export const SubtaskMessage = z.looseObject({
  id: z.string().min(1),
  timestamp: z.iso.datetime(),
  priority: z.enum(["critical", "high", "normal", "low"]),
  subtask: SubtaskAddress,
  owner: OwnerContext,
  /** How deep in other people's work its sender is. */
  depth: z.int().min(1).optional(),
  planId: z.string(),
  turnId: z.string(),
  traceId: z.string(),
  type: z.enum(["permission_request", "question", "completion", "error"]),
  content: z.string(),
});
export type SubtaskMessage = z.infer<typeof SubtaskMessage>;

/** Comes back to its handler when the batch's next moment has come. */
export const BatchTimer = z.looseObject({
  tenant: z.string(),
  agent: z.string(),
  ownerId: z.string(),
  turnId: z.string(),
});
export type BatchTimer = z.infer<typeof BatchTimer>;
