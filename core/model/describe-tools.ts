import type { DescribedTool } from "./describe-tool.ts";
import { describeTool } from "./describe-tool.ts";
import type { ToolDescription } from "./step.ts";

const described = new WeakMap<readonly DescribedTool[], ToolDescription[]>();

/** What a model is told about an agent's tools. Made once for a list: every step of every turn asks for it. */
export const describeTools = (tools: readonly DescribedTool[]): ToolDescription[] => {
  const known = described.get(tools) ?? tools.map(describeTool);
  described.set(tools, known);
  return known;
};
