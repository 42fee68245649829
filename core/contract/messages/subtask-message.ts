import { z } from "zod";
import { SubtaskAddress } from "./addresses.ts";
import { OwnerContext } from "./work-context.ts";

/** From a subtask to its owner (S6). "completion" reports an end; the result is in the subtask's record. */
export const SubtaskMessage = z.looseObject({
  id: z.string().min(1),
  timestamp: z.iso.datetime(),
  priority: z.enum(["critical", "high", "normal", "low"]),
  subtask: SubtaskAddress,
  owner: OwnerContext,
  /** The depth of the sender. */
  depth: z.int().min(1).optional(),
  planId: z.string(),
  turnId: z.string(),
  traceId: z.string(),
  type: z.enum(["permission_request", "question", "completion", "error"]),
  content: z.string(),
});
export type SubtaskMessage = z.infer<typeof SubtaskMessage>;

/** An answer of another agent that came after the asking subtask had ended (L2). */
export const LateA2ANotification = z.looseObject({
  id: z.string(),
  tenant: z.string(),
  agent: z.string(),
  primarySessionId: z.string(),
  subtaskId: z.string(),
  subtaskName: z.string(),
  peerAgent: z.string(),
  kind: z.enum(["result", "status", "error", "input-required"]),
  workingMemoryKey: z.string(),
});
export type LateA2ANotification = z.infer<typeof LateA2ANotification>;
