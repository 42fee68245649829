import { z } from "zod";
import { messageOf } from "../contract/app-error.ts";
import type { ChatMessage, ToolDescription } from "./step.ts";

/** JSON.parse takes any depth; JSON.stringify, and so the store, ends with the stack. */
const DEEPEST_INPUT = 100;

const LONGEST_PROBLEMS = 2_000;

const validators = new WeakMap<object, z.ZodType | undefined>();

/** Why a call cannot be run, in words that help the model to do better; undefined if it can. */
export const checkToolCall = (
  call: { name: string; input: unknown; malformed?: boolean },
  offered: readonly ToolDescription[],
): string | undefined => {
  const tool = offered.find(({ name }) => name === call.name);
  if (tool === undefined) {
    const names = offered.map(({ name }) => name).join(", ");
    return `There is no tool of this name. ${names === "" ? "Answer without tools." : `The tools are: ${names}.`}`;
  }
  if (call.malformed) return `${syntaxError(call.input)} Call ${tool.name} again with one JSON object.`;
  if (!isObject(call.input)) return `The arguments are no JSON object. Call ${tool.name} again with one.`;
  if (!isStorable(call.input)) return `The arguments are nested too deeply. Call ${tool.name} again with flatter ones.`;
  const checked = tool.checksInput ? undefined : validatorFor(tool.inputSchema)?.safeParse(call.input);
  if (checked === undefined || checked.success) return undefined;
  const problems = z.prettifyError(checked.error).slice(0, LONGEST_PROBLEMS);
  return `The arguments do not fit the tool's schema:\n${problems}\nCall ${tool.name} again.`;
};

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

const syntaxError = (input: unknown): string => {
  try {
    JSON.parse(String(input));
    return "The arguments have a key that is not allowed.";
  } catch (error) {
    return `The arguments are no valid JSON (${messageOf(error)}).`;
  }
};

const validatorFor = (schema: Record<string, unknown>): z.ZodType | undefined => {
  if (!validators.has(schema)) validators.set(schema, compile(schema));
  return validators.get(schema);
};

/** A schema that zod cannot read is left to the tool itself, which checks its input when it runs. */
const compile = (schema: Record<string, unknown>): z.ZodType | undefined => {
  try {
    return z.fromJSONSchema(schema);
  } catch {
    return undefined;
  }
};

export const isStorable = (input: unknown): boolean => !isDeeperThan(input, DEEPEST_INPUT);

const isDeeperThan = (value: unknown, depth: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (depth === 0 || Object.values(value).some((child) => isDeeperThan(child, depth - 1)));

/** What every provider takes back as an id. */
const USABLE = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Sloppy models leave call ids out, repeat them, or count from zero in every answer. The function returned keeps
 * a usable id that is new to the conversation and makes another one otherwise.
 */
export const uniqueCallIds = (messages: readonly ChatMessage[]): ((proposed: string) => string) => {
  const taken = new Set<string>();
  for (const message of messages) {
    if (message.role === "assistant") for (const call of message.toolCalls) taken.add(call.id);
  }
  return (proposed) => {
    let id = proposed;
    for (let next = taken.size + 1; !USABLE.test(id) || taken.has(id); next++) id = `call-${next}`;
    taken.add(id);
    return id;
  };
};
