import { z } from "zod";

/** A git repository that subtasks work on, each in a worktree of its own (S12). */
export const WorkspaceConfig = z.strictObject({
  repository: z.string().min(1).describe("A git repository on the machine of the core processes, not a bare one."),
  folder: z.string().min(1).optional().describe("Where the worktrees are; `workspaces` in dataDir by default."),
  commands: z
    .array(z.array(z.string().min(1)).min(1))
    .default([])
    .describe("What subtasks may run there, as lists of arguments, word for word. They run as Mooring's own user."),
  commandSeconds: z.int().min(1).max(600).default(120).describe("The longest that one of them may take."),
  environment: z
    .record(z.string(), z.string())
    .default({})
    .describe("What they, and git, find in their environment. Nothing of Mooring's own is there but a plain PATH."),
  keepDays: z.number().min(0).max(365).default(7).describe("How long the worktree of ended work is kept."),
});
export type WorkspaceConfig = z.infer<typeof WorkspaceConfig>;
