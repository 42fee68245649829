import { z } from "zod";

/** Far more than a model can choose from. */
export const MAX_TOOLS = 250;

const Hints = z.looseObject({
  readOnlyHint: z.boolean().optional().catch(undefined),
  destructiveHint: z.boolean().optional().catch(undefined),
  idempotentHint: z.boolean().optional().catch(undefined),
});

/** A tool in the words of its server. Only the name must be right: one bad tool must not cost the others. */
export const ListedTool = z.object({
  name: z.string().min(1).max(256),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().optional(),
  annotations: Hints.optional().catch(undefined),
});
export type ListedTool = z.infer<typeof ListedTool>;

/** The offers of a server. */
export const ServerList = z.looseObject({
  tools: z.array(ListedTool),
  hasResources: z.boolean(),
  hasPrompts: z.boolean(),
  /** Wall clock, milliseconds. */
  readAt: z.number(),
});
export type ServerList = z.infer<typeof ServerList>;

/** One page of the answer to `tools/list`. */
export const ToolsPage = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().min(1).optional().catch(undefined),
});

/** The valid tools, the first of each name. `onDropped` gets the reason for each of the others. */
export const validTools = (raw: readonly unknown[], onDropped: (reason: string) => void): ListedTool[] => {
  const tools = new Map<string, ListedTool>();
  for (const one of raw) {
    const { success, data } = ListedTool.safeParse(one);
    if (!success) onDropped("a tool has no valid name");
    else if (tools.has(data.name)) onDropped(`two tools are named "${data.name}", the first one counts`);
    else if (tools.size >= MAX_TOOLS) onDropped(`more than ${MAX_TOOLS} tools, "${data.name}" is left out`);
    else tools.set(data.name, data);
  }
  return [...tools.values()];
};
