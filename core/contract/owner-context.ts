import { z } from "zod";

/** Another agent's wish: one of this deployment, or one that came in by the protocol. */
export const WorksFor = z.looseObject({
  kind: z.enum(["peer-call", "a2a-task"]),
  tenant: z.string(),
  /** Whose record it is: the caller's for a call, the called one's for a task. */
  agent: z.string(),
  id: z.string(),
});
export type WorksFor = z.infer<typeof WorksFor>;

/** Who gets the messages of a subtask (S2): a chat session, a schedule run or inbound task, or another subtask. */
export const OwnerContext = z.looseObject({
  ownerType: z.enum(["agent", "orchestrator", "worker"]),
  /** A session's id, or for a worker its subtask's. */
  ownerId: z.string().min(1),
  /** Where the conversation is shown, if its platform has permalinks. */
  sessionUri: z.string().optional(),
  /** Present if what the session says goes to another agent, never to people (A5). */
  worksFor: WorksFor.optional(),
});
export type OwnerContext = z.infer<typeof OwnerContext>;

/** The person on whose behalf something is done. */
export const Asker = z.looseObject({
  personId: z.string(),
  accountId: z.string(),
  name: z.string(),
  locale: z.string().optional(),
  timeZone: z.string().optional(),
});
export type Asker = z.infer<typeof Asker>;
