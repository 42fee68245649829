import { z } from "zod";
import { messageOf } from "../contract/app-error.ts";
import type { ToolDescription } from "./step.ts";

const validators = new WeakMap<object, z.ZodType | undefined>();

/** Why a call cannot be run, in words that help the model to do better; undefined if it can. */
export const checkToolCall = (
  call: { name: string; input: unknown },
  offered: readonly ToolDescription[],
): string | undefined => {
  const tool = offered.find(({ name }) => name === call.name);
  if (tool === undefined) {
    const names = offered.map(({ name }) => name).join(", ");
    return `There is no tool of this name. ${names === "" ? "Answer without tools." : `The tools are: ${names}.`}`;
  }
  if (!isObject(call.input)) return `${notAnObject(call.input)} Call ${tool.name} again with one JSON object.`;
  if (!canBeStored(call.input))
    return `The arguments are nested too deeply. Call ${tool.name} again with flatter ones.`;
  const checked = validatorFor(tool.inputSchema)?.safeParse(call.input);
  if (checked === undefined || checked.success) return undefined;
  return `The arguments do not fit the tool's schema:\n${z.prettifyError(checked.error)}\nCall ${tool.name} again.`;
};

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

const notAnObject = (input: unknown): string => {
  if (typeof input !== "string") return "The arguments are no JSON object.";
  try {
    JSON.parse(input);
    return "The arguments are no JSON object.";
  } catch (error) {
    return `The arguments are no valid JSON (${messageOf(error)}).`;
  }
};

/** JSON.parse takes any depth, JSON.stringify does not. */
const canBeStored = (input: unknown): boolean => {
  try {
    JSON.stringify(input);
    return true;
  } catch {
    return false;
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
