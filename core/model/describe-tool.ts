import { z } from "zod";
import type { ToolDescription } from "./step.ts";

const inputSchemas = new WeakMap<z.ZodType, Record<string, unknown>>();

/** What a model is told about a tool. The JSON schema is made once per zod schema, so keep the zod schema. */
export const describeTool = (tool: { name: string; description: string; input: z.ZodType }): ToolDescription => {
  let inputSchema = inputSchemas.get(tool.input);
  if (inputSchema === undefined) {
    // "input": a field with a default is optional to the model.
    inputSchema = { ...z.toJSONSchema(tool.input, { io: "input" }) };
    delete inputSchema.$schema;
    inputSchemas.set(tool.input, inputSchema);
  }
  return { name: tool.name, description: tool.description, inputSchema };
};
