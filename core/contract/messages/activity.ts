import { z } from "zod";
import type { AgentReply } from "./agent-reply.ts";

export const ActivityState = z.enum(["pending", "running", "completed", "failed", "cancelled"]);
export type ActivityState = z.infer<typeof ActivityState>;

/** One piece of delegated work, as people see it. */
export const ActivityItem = z.looseObject({
  /** What `cancel` takes. */
  id: z.string().min(1),
  name: z.string(),
  state: ActivityState,
  startedAt: z.iso.datetime().optional(),
  endedAt: z.iso.datetime().optional(),
  /** The last line it said about how it goes. */
  note: z.string().optional(),
  result: z.string().optional(),
  /** What it has changed in its workspace: "3 files changed, +45 −12". */
  changes: z.string().optional(),
});
export type ActivityItem = z.infer<typeof ActivityItem>;

/** The work that one turn has delegated: one entry in the origin conversation, edited in place (B1). */
export const Activity = z.looseObject({
  /** The same for every state of the entry. */
  id: z.string().min(1),
  /** Grows. A lower one never replaces a higher one. */
  revision: z.int().nonnegative(),
  title: z.string(),
  items: z.array(ActivityItem),
});
export type Activity = z.infer<typeof Activity>;

/** Under this name in a reply's `data`. */
export const ACTIVITY = "activity";

/** The state of an activity entry that a reply brings, if it is one. */
export const activityOf = ({ kind, data }: Pick<AgentReply, "kind" | "data">): Activity | undefined =>
  kind === "progress" || kind === "completion" ? Activity.safeParse(data?.[ACTIVITY]).data : undefined;
