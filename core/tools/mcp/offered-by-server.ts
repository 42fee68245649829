import { hash } from "node:crypto";
import { AppError } from "../../contract/app-error.ts";
import type { ApprovalRule, Tool, ToolContext, ToolOutput } from "../../contract/tool.ts";
import { cutAtGraphemes, dropInvisible, stableId } from "../../lib/index.ts";
import { CallResult, readResult } from "./call-result.ts";
import type { Progress } from "./client/connection.ts";
import { type McpServerConfig, prefixOfServer } from "./config.ts";
import { inputCheck, inputSchemaFor } from "./list/input-schema.ts";
import type { ListedTool, ServerList } from "./list/server-list.ts";
import { toolNames } from "./list/tool-names.ts";
import type { McpServer } from "./mcp-server.ts";
import { readingTools } from "./server-contents.ts";
import { withSession } from "./with-session.ts";

/** The limit of some providers. */
const MAX_DESCRIPTION_CHARS = 1_000;

const lists = new WeakMap<McpServer, { readonly list: ServerList; readonly tools: readonly Tool[] }>();

/** The tools of a server that its configuration allows. Cached per list, because every turn asks for them. */
export const toolsOf = (server: McpServer): readonly Tool[] => {
  const { list, config, name } = server;
  if (list === undefined) return [];
  const known = lists.get(server);
  if (known?.list === list) return known.tools;
  const allowed = list.tools.filter((tool) => isAllowed(config, tool.name));
  const names = toolNames(
    name,
    list.tools.map((tool) => tool.name),
  );
  const own = allowed.map((tool) => toTool(server, tool, names.get(tool.name) ?? tool.name));
  const taken = new Set(own.map((tool) => tool.name));
  const prefix = `${prefixOfServer(name)}__`;
  const reading = readingTools(server, list).filter(
    (tool) => !taken.has(tool.name) && isAllowed(config, tool.name.slice(prefix.length)),
  );
  const tools = [...own, ...reading];
  lists.set(server, { list, tools });
  return tools;
};

export const isAllowed = ({ tools: { allow, deny } }: Pick<McpServerConfig, "tools">, name: string): boolean =>
  allow.some((pattern) => matches(pattern, name)) && !deny.some((pattern) => matches(pattern, name));

const matches = (pattern: string, name: string): boolean => {
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(name);
};

const toTool = (server: McpServer, listed: ListedTool, name: string): Tool => {
  const { config } = server;
  const definition = definitionOf(listed);
  const inputSchema = inputSchemaFor(listed.inputSchema, config);
  const approval = approvalFor(config, listed, definition);
  return {
    name,
    server: server.name,
    description: describe(listed, server.name),
    input: inputCheck(inputSchema),
    inputSchema,
    needs: `tool:${name}`,
    repeatable: isRepeatable(config, listed),
    hasEffects: listed.annotations?.readOnlyHint !== true,
    deadlineMs: config.startTimeoutMs + config.timeoutMs,
    ...(approval && { approval }),
    run: (input, context) =>
      call(server, { listed, name, definition, needsApproval: approval !== undefined }, input, context),
  };
};

/** The text of a server may hide instructions from people who read it. */
const describe = ({ description, title, name }: ListedTool, server: string): string =>
  cutAtGraphemes(dropInvisible(description ?? title ?? `${name} of ${server}`).trim(), MAX_DESCRIPTION_CHARS);

/** Changes if the server describes the tool in another way. */
const definitionOf = (listed: ListedTool): string => hash("sha256", JSON.stringify(listed), "hex");

/** The hints of a server about its tools count only if it is trusted (T2, T3). */
const isRepeatable = ({ trusted }: McpServerConfig, { annotations }: ListedTool): boolean =>
  trusted && (annotations?.readOnlyHint === true || annotations?.idempotentHint === true);

/** By the protocol's default, a tool is destructive unless it says otherwise. */
const isDestructive = ({ trusted }: McpServerConfig, { annotations }: ListedTool): boolean =>
  !(trusted && (annotations?.readOnlyHint === true || annotations?.destructiveHint === false));

const approvalFor = (config: McpServerConfig, listed: ListedTool, definition: string): ApprovalRule | undefined => {
  const destructive = isDestructive(config, listed);
  if (config.approval === "never" || (config.approval === "destructive" && !destructive)) return undefined;
  return { isDestructive: destructive, definition };
};

interface Called {
  readonly listed: ListedTool;
  readonly name: string;
  readonly definition: string;
  readonly needsApproval: boolean;
}

const call = async (server: McpServer, called: Called, input: unknown, context: ToolContext): Promise<ToolOutput> => {
  const { timeoutMs } = server.config;
  const result = await withSession(server, async (connection) => {
    ensureOffered(server, called);
    const params = {
      name: called.listed.name,
      arguments: input,
      _meta: { "mooring/idempotency-key": stableId("call", context.idempotencyKey) },
    };
    const { progress: report } = context;
    const onProgress = report && ((progress: Progress) => report(describeProgress(progress)));
    return connection.request("tools/call", params, CallResult, { signal: context.signal, timeoutMs, onProgress });
  });
  const output = readResult(result, server.reading);
  if (result.isError) throw new AppError("bad-input", output.text);
  return output;
};

const ensureOffered = ({ name, list, config }: McpServer, { listed, definition, needsApproval }: Called): void => {
  const now = list?.tools.find((tool) => tool.name === listed.name);
  if (now === undefined) {
    throw new AppError("not-found", `Not run: ${name} no longer has the tool "${listed.name}".`);
  }
  const changed = definitionOf(now);
  if (changed === definition) return;
  // A person approved the tool as it was described then, or would have to approve it as it is described now.
  if (needsApproval || approvalFor(config, now, changed) !== undefined) {
    throw new AppError(
      "conflict",
      `Not run: ${name} has changed its tool "${listed.name}". Call it again in a new turn.`,
    );
  }
};

const MAX_NOTE_CHARS = 120;

/** One line for people. */
const describeProgress = ({ progress, total, message }: Progress): string => {
  const share =
    total !== undefined && total > 0 ? `${Math.min(100, Math.floor((100 * progress) / total))} %` : undefined;
  const said =
    message === undefined
      ? undefined
      : cutAtGraphemes(dropInvisible(message).replace(/\s+/g, " ").trim(), MAX_NOTE_CHARS);
  return [share, said].filter((part) => part !== undefined && part !== "").join(", ") || `step ${progress}`;
};
