import { z } from "zod";
import type { ToolDescription } from "./step.ts";

const inputSchemas = new WeakMap<z.ZodType, Record<string, unknown>>();

export interface DescribedTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly checksInput?: boolean;
  readonly varies?: boolean;
}

/** What a model is told about a tool. The JSON schema is made once per zod schema, so keep the zod schema. */
export const describeTool = (tool: DescribedTool): ToolDescription => {
  const { name, description, input, checksInput } = tool;
  let inputSchema = inputSchemas.get(input);
  if (inputSchema === undefined) {
    // "input": a field with a default is optional to the model.
    inputSchema = { ...z.toJSONSchema(input, { io: "input" }) };
    delete inputSchema.$schema;
    inputSchemas.set(input, inputSchema);
  }
  return { name, description, inputSchema, ...(checksInput && { checksInput }) };
};

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
