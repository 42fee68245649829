import { z } from "zod";
import type { Tool, ToolContext, ToolOutput } from "../../contract/tool.ts";
import { CallResult, ResourceContents, readContents, readResult } from "./call-result.ts";
import { prefixOfServer } from "./config.ts";
import type { ServerList } from "./list/server-list.ts";
import type { McpServer } from "./mcp-server.ts";
import { withSession } from "./with-session.ts";

const Page = z.object({ cursor: z.string().optional().describe("The cursor that the previous page named.") });
const ReadResource = z.object({ uri: z.string().min(1).describe("The URI of the resource.") });
const GetPrompt = z.object({
  name: z.string().min(1).describe("The name of the prompt."),
  arguments: z.record(z.string(), z.string()).optional().describe("The arguments that the prompt takes, as text."),
});

/** Lists and contents of a server, in the form that it sends them. */
const Listing = z.looseObject({ nextCursor: z.string().optional().catch(undefined) });
const PromptMessages = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string().catch("user"), content: z.unknown().optional() })).catch([]),
});

/**
 * Tools that list and read the resources and prompts of a server, if it has any. They need the same rights as its other
 * tools, and reading is safe to repeat if the server is trusted.
 */
export const readingTools = (server: McpServer, { hasResources, hasPrompts }: ServerList): readonly Tool[] => [
  ...(hasResources ? resourceTools(server) : []),
  ...(hasPrompts ? promptTools(server) : []),
];

const resourceTools = (server: McpServer): Tool[] => [
  reading(server, "list_resources", `Lists the resources of ${server.name}.`, Page, (params, context) =>
    listed(server, "resources/list", params, context),
  ),
  reading(server, "read_resource", `Reads a resource of ${server.name}.`, ReadResource, async (params, context) => {
    const { contents } = await request(server, "resources/read", params, ResourceContents, context);
    return readContents(contents, server.reading);
  }),
];

const promptTools = (server: McpServer): Tool[] => [
  reading(server, "list_prompts", `Lists the prompt templates of ${server.name}.`, Page, (params, context) =>
    listed(server, "prompts/list", params, context),
  ),
  reading(server, "get_prompt", `Fills in a prompt template of ${server.name}.`, GetPrompt, async (params, context) => {
    const { messages } = await request(server, "prompts/get", params, PromptMessages, context);
    const content = messages.flatMap(({ role, content }) => [{ type: "text", text: `${role}:` }, content]);
    return readResult(CallResult.parse({ content }), server.reading);
  }),
];

const reading = <Input extends object>(
  { name: server, config }: McpServer,
  name: string,
  description: string,
  input: z.ZodType<Input>,
  run: (input: Input, context: ToolContext) => Promise<ToolOutput>,
): Tool => {
  const fullName = `${prefixOfServer(server)}__${name}`;
  const tool: Tool<Input> = {
    name: fullName,
    server,
    description,
    input,
    needs: `tool:${fullName}`,
    repeatable: config.trusted,
    deadlineMs: config.startTimeoutMs + config.timeoutMs,
    ...(config.approval === "ask" && { approval: { isDestructive: false, definition: fullName } }),
    run,
  };
  return tool as unknown as Tool;
};

const request = <T>(server: McpServer, method: string, params: object, schema: z.ZodType<T>, { signal }: ToolContext) =>
  withSession(server, (connection) =>
    connection.request(method, params, schema, { signal, timeoutMs: server.config.timeoutMs }),
  );

const listed = async (server: McpServer, method: string, params: object, context: ToolContext): Promise<ToolOutput> => {
  const { _meta: _, ...page } = await request(server, method, params, Listing, context);
  const content = [{ type: "text", text: JSON.stringify(page, null, 1) }];
  return readResult(CallResult.parse({ content }), server.reading);
};
