import { z } from "zod";
import { messageOf } from "../contract/app-error.ts";
import type { ChatMessage, ToolDescription } from "./step.ts";

const inputSchemas = new WeakMap<z.ZodType, Readonly<Record<string, unknown>>>();

interface DescribedTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly checksInput?: boolean;
  readonly varies?: boolean;
}

/** The description of a tool for the model. The JSON schema is cached per zod schema, so reuse the zod schema. */
export const describeTool = (tool: DescribedTool): ToolDescription => {
  const { name, description, input, checksInput } = tool;
  let inputSchema = tool.inputSchema ?? inputSchemas.get(input);
  if (inputSchema === undefined) {
    // "input": a field with a default is optional to the model.
    const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
    inputSchema = schema;
    inputSchemas.set(input, schema);
  }
  return { name, description, inputSchema, ...(checksInput && { checksInput }) };
};

const described = new WeakMap<readonly DescribedTool[], ToolDescription[]>();

/** The descriptions of an agent's tools. Cached per list, because every step needs them, unless a tool's description varies. */
export const describeTools = (tools: readonly DescribedTool[]): ToolDescription[] => {
  if (tools.some(({ varies }) => varies)) return tools.map(describeTool);
  const known = described.get(tools) ?? tools.map(describeTool);
  described.set(tools, known);
  return known;
};

/** JSON.parse accepts any depth, but JSON.stringify, and so the store, overflows the stack. */
const MAX_INPUT_DEPTH = 100;

const MAX_PROBLEMS_CHARS = 2_000;

const validators = new WeakMap<object, z.ZodType | undefined>();

/** The reason why a call cannot run, for the model to correct it; undefined if it can run. */
export const checkToolCall = (
  call: { name: string; input: unknown; malformed?: boolean },
  offered: readonly ToolDescription[],
): string | undefined => {
  const tool = offered.find(({ name }) => name === call.name);
  if (tool === undefined) {
    const names = offered.map(({ name }) => name).join(", ");
    return `There is no tool with this name. ${names === "" ? "Answer without tools." : `The tools are: ${names}.`}`;
  }
  if (call.malformed) return `${syntaxError(call.input)} Call ${tool.name} again with one JSON object.`;
  if (!isObject(call.input)) return `The arguments are not a JSON object. Call ${tool.name} again with a JSON object.`;
  if (!isStorable(call.input)) return `The arguments are nested too deeply. Call ${tool.name} again with flatter ones.`;
  const checked = tool.checksInput ? undefined : validatorFor(tool.inputSchema)?.safeParse(call.input);
  if (checked === undefined || checked.success) return undefined;
  const problems = z.prettifyError(checked.error).slice(0, MAX_PROBLEMS_CHARS);
  return `The arguments do not fit the tool's schema:\n${problems}\nCall ${tool.name} again.`;
};

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

const syntaxError = (input: unknown): string => {
  try {
    JSON.parse(String(input));
    return "The arguments have a key that is not allowed.";
  } catch (error) {
    return `The arguments are not valid JSON (${messageOf(error)}).`;
  }
};

const validatorFor = (schema: Record<string, unknown>): z.ZodType | undefined => {
  if (!validators.has(schema)) validators.set(schema, compile(schema));
  return validators.get(schema);
};

/** If zod cannot read a schema, the tool checks its input itself when it runs. */
const compile = (schema: Record<string, unknown>): z.ZodType | undefined => {
  try {
    return z.fromJSONSchema(schema);
  } catch {
    return undefined;
  }
};

export const isStorable = (input: unknown): boolean => !isDeeperThan(input, MAX_INPUT_DEPTH);

const isDeeperThan = (value: unknown, depth: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (depth === 0 || Object.values(value).some((child) => isDeeperThan(child, depth - 1)));

/** Ids that every provider accepts in the history. */
const VALID_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Some models omit call ids, repeat them, or count from zero in every answer. The returned function keeps an id that is
 * valid and new to the conversation, and makes another one otherwise.
 */
export const uniqueCallIds = (messages: readonly ChatMessage[]): ((proposed: string) => string) => {
  const taken = new Set<string>();
  for (const message of messages) {
    if (message.role === "assistant") for (const call of message.toolCalls) taken.add(call.id);
  }
  return (proposed) => {
    let id = proposed;
    for (let next = taken.size + 1; !VALID_ID.test(id) || taken.has(id); next++) id = `call-${next}`;
    taken.add(id);
    return id;
  };
};
