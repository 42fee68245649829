import { z } from "zod";

/** A git repository that subtasks work on, each in a worktree of its own (S12). */
export const WorkspaceConfig = z.strictObject({
  repository: z.string().min(1).describe("A git repository on the machine of the core processes, not a bare one."),
  folder: z.string().min(1).optional().describe("The folder of the worktrees; `workspaces` in dataDir by default."),
  commands: z
    .array(z.array(z.string().min(1)).min(1))
    .default([])
    .describe("Commands that subtasks may run there, as exact lists of arguments. They run as Mooring's own user."),
  commandSeconds: z.int().min(1).max(600).default(120).describe("Timeout of one command."),
  environment: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      "Environment variables of these commands and of git. They inherit none of Mooring's; PATH is a plain default.",
    ),
  keepDays: z.number().min(0).max(365).default(7).describe("Days after which the worktree of ended work is removed."),
});
export type WorkspaceConfig = z.infer<typeof WorkspaceConfig>;
