import { appendFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { ack } from "../../../core/contract/ports/bus.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import type { Tool, ToolContext, ToolSource } from "../../../core/contract/tool.ts";
import type { ModelDeps } from "../../../core/model/agent-model.ts";
import { ModelConfig } from "../../../core/model/config.ts";
import { createModel } from "../../../core/model/create-model.ts";
import { Rights } from "../../../core/rights/index.ts";
import { startCore } from "../../../core/start-core.ts";
import { McpServersConfig } from "../../../core/tools/mcp/config.ts";
import { McpServers } from "../../../core/tools/mcp/mcp-servers.ts";
import { openBackbone } from "./backbone-data.ts";
import type { ChildOptions, FromChild, ToChild } from "./core-process.ts";

/** A core in a child process that kills itself at the checkpoint that its parent names. */
const options: ChildOptions = JSON.parse(process.argv[2] ?? "");
const subjects = subjectsOf("default");
const say = (message: FromChild): void => {
  process.send?.(message);
};

/** Shortens the pauses between attempts of the model. */
const fastClock: Clock = { ...systemClock, after: (ms, callback) => systemClock.after(ms / 50, callback) };

let crashAt: { name: string; nth: number } | undefined;
const checkpoint = async (name: string): Promise<void> => {
  if (crashAt?.name !== name || --crashAt.nth > 0) return;
  process.kill(process.pid, "SIGKILL");
  await new Promise(() => {});
};

/** Logs every run to a file, which survives a crash. */
const loggedTool = (name: string, repeatable: boolean): Tool => ({
  name,
  description: name,
  input: z.looseObject({}),
  needs: "talk",
  repeatable,
  run: async (_input, { idempotencyKey }) => {
    appendFileSync(options.toolLog, `${name} ${idempotencyKey}\n`);
    await checkpoint("tool.inside");
    return `${name} is done`;
  },
});

/** Asks people before it runs, and logs its arguments too. */
const askingTool = (name: string, repeatable: boolean): Tool => ({
  ...loggedTool(name, repeatable),
  approval: { isDestructive: false, definition: name },
  run: async (input, { idempotencyKey }) => {
    appendFileSync(options.toolLog, `${name} ${idempotencyKey} ${JSON.stringify(input)}\n`);
    await checkpoint("tool.inside");
    return `${name} is done`;
  },
});

/** Kills every process that runs it. */
const poison: Tool = {
  ...loggedTool("poison", true),
  run: () => {
    process.kill(process.pid, "SIGKILL");
    return new Promise(() => {});
  },
};

const backbone = await openBackbone(options.data);
const config = { provider: "openai-compatible", baseUrl: options.modelUrl, model: "scripted" };
const { agentUrl, agentWaitMs } = options;
const elsewhere =
  agentUrl && ModelConfig.parse({ provider: "a2a", url: agentUrl, ...(agentWaitMs && { waitMs: agentWaitMs }) });
const model = elsewhere
  ? (deps: ModelDeps) => createModel(elsewhere, deps)
  : createModel(ModelConfig.parse(config), { clock: systemClock, logger: silentLogger });
const watch = { durable: "watch", concurrency: 8 };
await backbone.bus.consume(subjects.userResponse("mooring"), watch, async (reply) => {
  say({ say: "reply", reply });
  return ack;
});
/** Crashes "inside" of a call once the server has answered it: the journal does not have the result yet. */
const crashingInside = (source: ToolSource): ToolSource => ({
  offer: async (permit) => {
    const { tools, unavailable } = await source.offer(permit);
    const wrapped = tools.map((tool) => ({
      ...tool,
      run: async (input: unknown, context: ToolContext) => {
        const output = await tool.run(input, context);
        await checkpoint("tool.inside");
        return output;
      },
    }));
    return { tools: wrapped, unavailable };
  },
});

const toolSourceOf = (mcpServers: object): ToolSource | undefined => {
  const [dataDir, environment] = [dirname(options.toolLog), process.env];
  const deps = { store: backbone.store, clock: systemClock, logger: silentLogger, meter: silentMeter };
  const source = new McpServers({ ...deps, dataDir, environment, version: "0" }).sourceOf(
    { tenant: "default", agent: "mooring" },
    McpServersConfig.parse(mcpServers),
  );
  return source && crashingInside(source);
};
const toolSource = options.mcpServers && toolSourceOf(options.mcpServers);
const rights = new Rights({ member: ["default", "workspace", "tool:*"] }, { operator: ["web:olga"] });
const core = await startCore({
  backbone,
  agents: [
    {
      name: "mooring",
      tenant: "default",
      model,
      workspace: options.workspace,
      rights,
      delegation: options.delegation,
      approvals: options.approvals,
      toolSource,
    },
  ],
  tools: [
    loggedTool("work", false),
    loggedTool("look", true),
    askingTool("send", false),
    askingTool("fetch", true),
    poison,
  ],
  clock: fastClock,
  logger: silentLogger,
  meter: silentMeter,
  checkpoint,
});

const execute = async (order: ToChild): Promise<void> => {
  if (order.do === "crash") crashAt = { name: order.at, nth: order.nth };
  if (order.do === "publish") {
    const { message } = order;
    const key = conversationKey(message.conversation);
    await backbone.bus.publish(subjects.userMessage("mooring"), message, { id: message.id, key });
  }
  if (order.do === "stop") {
    await core.stop();
    await backbone.close();
  }
};
process.on("message", (order: ToChild) => {
  execute(order).then(
    () => say({ say: "done", call: order.call }),
    (error: Error) => say({ say: "failed", call: order.call, error: error.message }),
  );
});
process.on("disconnect", () => process.exit(0));
say({ say: "ready" });
