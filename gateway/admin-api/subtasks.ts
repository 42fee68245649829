import { z } from "zod";
import { AgentPageQuery, type Asker, type Origin, oneOf, type Page, unchecked } from "./shapes.ts";

export const Subtask = z.object({
  ref: unchecked<string>(),
  id: z.string(),
  agent: unchecked<string>(),
  tenant: unchecked<string>(),
  name: z.string(),
  agentType: unchecked<string>(),
  status: oneOf<"pending" | "running" | "completed" | "failed" | "cancelled">(),
  depth: unchecked<number>(),
  parent: z.string().optional(),
  origin: unchecked<Origin>(),
  asker: unchecked<Asker>(),
  /** The last line of progress. */
  note: unchecked<string>().optional(),
  result: oneOf<"success" | "partial" | "failed" | "timeout">().optional(),
  createdAt: z.string(),
  startedAt: unchecked<string>().optional(),
  completedAt: z.string().optional(),
  traceId: unchecked<string>(),
});
export type Subtask = z.infer<typeof Subtask>;

export const subtaskRequests = {
  "GET subtasks": AgentPageQuery.extend({ status: z.enum(["open", "all"]).default("open") }),
};

export interface SubtaskAnswers {
  "GET subtasks": Page<Subtask>;
  "POST subtasks/:ref/cancel": Subtask;
}
