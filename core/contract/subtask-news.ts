import { z } from "zod";

/** Not stored: a subtask's record has changed, and whoever works on it, waits for it or watches it may look. */
export const SubtaskNews = z.looseObject({
  id: z.string(),
  traceId: z.string(),
  /** Whoever works on it is to leave it: it was ended by somebody else, or its time is up. */
  isOver: z.boolean(),
});
export type SubtaskNews = z.infer<typeof SubtaskNews>;
