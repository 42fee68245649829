import type { DescribedTool } from "./describe-tool.ts";
import { describeTool } from "./describe-tool.ts";
import type { ToolDescription } from "./step.ts";

const described = new WeakMap<readonly DescribedTool[], ToolDescription[]>();

/**
 * What a model is told about an agent's tools. Made once for a list, since every step of every turn asks for it, unless
 * one of them is not always the same.
 */
export const describeTools = (tools: readonly DescribedTool[]): ToolDescription[] => {
  if (tools.some(({ varies }) => varies)) return tools.map(describeTool);
  const known = described.get(tools) ?? tools.map(describeTool);
  described.set(tools, known);
  return known;
};
