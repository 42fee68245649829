import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { messageOf } from "../../contract/app-error.ts";
import type { Clock } from "../../contract/ports/clock.ts";
import type { Tool, ToolContext, ToolOutput } from "../../contract/tool.ts";
import {
  type ToolOutput as DefinedOutput,
  type ToolCall,
  type ToolDefinition,
  toolProblems,
} from "../../contract/tool-definition.ts";
import { stableId, withinDeadline } from "../../lib/index.ts";
import { runModule, runOwn } from "./module-code.ts";

export interface LoadedModule {
  readonly tools: readonly Tool[];
  /** The faults of the module or of single exports, for operators. */
  readonly problems: readonly string[];
}

/** A module that waits for a service at its top level must not keep the process from starting. */
const LOAD_TIMEOUT_MS = 10_000;

/** The tools that a module of the operator exports (T1). A module with a fault gives problems, and never throws. */
export const loadModule = async (file: string, clock: Clock): Promise<LoadedModule> => {
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = await withinDeadline(clock, LOAD_TIMEOUT_MS, imported(file), () => {
      throw new Error(`it did not load within ${LOAD_TIMEOUT_MS / 1_000} s`);
    });
  } catch (error) {
    return { tools: [], problems: [`cannot be loaded: ${messageOf(error)}`] };
  }
  const values = Object.entries(exported).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one: unknown) => ({ name, value: one })),
  );
  const distinct = values.filter(({ value }, index) => values.findIndex((other) => other.value === value) === index);
  const candidates = distinct.filter(({ name, value }) => name === "default" || looksLikeTool(value));
  if (candidates.length === 0)
    return { tools: [], problems: ["exports no tool: export the result of defineTool({ … })"] };
  const tools: Tool[] = [];
  const problems: string[] = [];
  for (const { name, value } of candidates) {
    const found = [...toolProblems(value), ...schemaProblems(value)];
    problems.push(...found.map((problem) => `the export "${name}" ${problem}`));
    if (found.length === 0) tools.push(moduleTool(value as ToolDefinition, file));
  }
  return { tools, problems };
};

const imported = (file: string) => runModule(file, () => import(pathToFileURL(file).href));

/** Other exports, such as helper functions, are not the agent's. */
const looksLikeTool = (value: unknown): boolean => typeof value === "object" && value !== null && "contract" in value;

/** Models take an object of arguments, described as a JSON schema. */
const schemaProblems = (value: unknown): readonly string[] => {
  const { input } = (value ?? {}) as Partial<ToolDefinition>;
  if (toolProblems(value).length > 0 || input === undefined) return [];
  try {
    const { type } = z.toJSONSchema(input, { io: "input" });
    return type === "object" ? [] : ['has an "input" that is not an object: use z.object({ … })'];
  } catch (error) {
    return [`has an "input" that is not a JSON schema: ${messageOf(error)}`];
  }
};

const moduleTool = (definition: ToolDefinition, file: string): Tool => {
  const { name, description, input, destructive = false, repeatable = false, timeoutMs } = definition;
  const { approval = destructive ? "ask" : "never" } = definition;
  const schema = JSON.stringify(z.toJSONSchema(input, { io: "input" }));
  const digest = stableId("tool", basename(file), name, description, schema, `${destructive}`);
  return {
    name,
    description,
    input,
    needs: `tool:${name}`,
    repeatable,
    ...(timeoutMs !== undefined && { deadlineMs: timeoutMs }),
    ...(approval === "ask" && { approval: { isDestructive: destructive, definition: digest } }),
    run: async (given, context) => outputOf(await runModule(file, async () => definition.run(given, callOf(context)))),
  };
};

/** Only what the contract promises: the module sees nothing of people and sessions. */
const callOf = ({ signal, idempotencyKey, agent, tenant, audience, progress }: ToolContext): ToolCall => ({
  signal,
  idempotencyKey,
  agent,
  tenant,
  conversation: { channel: audience.conversation.channel, kind: audience.conversation.kind },
  progress: (text) => runOwn(() => progress?.(String(text))),
});

/** The module's code is not checked by our compiler, so its result may be anything. */
const outputOf = (output: string | DefinedOutput): string | ToolOutput => {
  if (typeof output === "string") return output;
  if (typeof output !== "object" || output === null) return JSON.stringify(output) ?? "done";
  const { text, structured, files = [] } = output;
  const parts = [
    ...(text === undefined ? [] : [text]),
    ...(structured === undefined ? [] : [JSON.stringify(structured)]),
  ];
  return { text: parts.join("\n"), ...(files.length > 0 && { files }) };
};
