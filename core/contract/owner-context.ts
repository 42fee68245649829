import { z } from "zod";

/** Who gets the messages of a subtask (S2): a chat session, a schedule run or inbound task, or another subtask. */
export const OwnerContext = z.looseObject({
  ownerType: z.enum(["agent", "orchestrator", "worker"]),
  /** A session's id, or for a worker its subtask's. */
  ownerId: z.string().min(1),
  /** Where the conversation is shown, if its platform has permalinks. */
  sessionUri: z.string().optional(),
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
