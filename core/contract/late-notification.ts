import { z } from "zod";

/** Something another agent said after the subtask that asked it had ended (L2). */
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
