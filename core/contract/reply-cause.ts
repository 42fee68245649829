import { z } from "zod";
import { Asker } from "./owner-context.ts";

/** What made the agent say something that nobody waited for: what `why` explains (O13). */
export const ReplyCause = z.looseObject({
  /** The turn it was said in, and the one that began the work. */
  turnId: z.string(),
  rootTurnId: z.string(),
  asker: Asker,
  /** What started the turn: "synthesis", "amendment", "wake-up", "task". Open: other kinds of work have other triggers. */
  trigger: z.string(),
  /** The work it tells of: "subtask" today; schedules and calls of other agents come as further kinds. */
  steps: z.array(z.looseObject({ kind: z.string(), id: z.string(), name: z.string() })),
});
export type ReplyCause = z.infer<typeof ReplyCause>;
