import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Config } from "../../../config/schema/config.ts";
import { openBackbone } from "../../../core/backbone/drivers.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { publishLoad } from "../../../core/intake/publish-load.ts";
import { startCore } from "../../../core/start-core.ts";
import { McpServers } from "../../../core/tools/index.ts";
import { whenHealthy } from "../../../gateway/backbone-health.ts";
import { openHttpListener } from "../../../gateway/http/http-listener.ts";
import { createReadiness } from "../../../gateway/http/readiness.ts";
import { startChannels } from "../../../gateway/start-channels.ts";
import { createLogger } from "../../../gateway/telemetry/create-logger.ts";
import { createMetrics } from "../../../gateway/telemetry/create-metrics.ts";
import { instantModel } from "../instant-model.ts";
import { manyServers } from "../mcp-fixtures.ts";
import { answerQuestions, memoryInUse } from "./answer-questions.ts";
import { REPLY_TEXT } from "./reply-text.ts";
import { UNLIMITED } from "./unlimited.ts";

/**
 * Gateway and core as `mooring start` runs them, with logs and metrics; only model and limits are those of the bench.
 */
const { values, positionals } = parseArgs({
  options: { waiting: { type: "string" }, slack: { type: "string" }, "mcp-servers": { type: "string" } },
  allowPositionals: true,
});
const [natsUrl] = positionals;
const MANY = 1_000_000;
const WATCH_EVERY_MS = 50;
const dataDir = await mkdtemp(join(tmpdir(), "mooring-bench-"));
const config = Config.parse({
  gateway: {
    host: "127.0.0.1",
    port: 0,
    limits: { ...UNLIMITED, ...(values.waiting && { waitingMessages: Number(values.waiting) }) },
  },
  backbone: natsUrl ? { nats: { servers: [natsUrl] } } : "embedded",
  dataDir,
  agents: [{ name: "bench", model: "demo" }],
  channels: {
    web: {
      adapter: "web",
      access: { messagesPerMinute: MANY },
      limits: {
        messagesPerSecond: MANY,
        messageBurst: MANY,
        messagesPerSecondOfAddress: MANY,
        messageBurstOfAddress: MANY,
        framesPerSecond: MANY,
        frameBurst: MANY,
        connectionsPerVisitor: MANY,
        connectionsPerAddress: MANY,
        connections: MANY,
      },
    },
    ...(values.slack && {
      slack: { ...(JSON.parse(values.slack) as object), agent: "bench", access: { messagesPerMinute: MANY } },
    }),
  },
});
const clock = systemClock;
const logger = createLogger(config.logLevel);
const metrics = createMetrics(logger);
const readiness = createReadiness();
const listener = await openHttpListener(config.gateway, readiness);
const backbone = await openBackbone(config.backbone, { dataDir, clock, logger });
await whenHealthy(backbone, clock, new AbortController().signal);
const parts = { clock, logger, meter: metrics.meter, backbone };
const agent = { name: "bench", tenant: "default" };
const mcp = new McpServers({ ...parts, store: backbone.store, dataDir, environment: process.env, version: "0" });
const toolSource = mcp.sourceOf({ tenant: "default", agent: "bench" }, manyServers(Number(values["mcp-servers"] ?? 0)));
const core = await startCore({ ...parts, agents: [{ ...agent, model: instantModel, toolSource }] });
const load = publishLoad(parts, agent);
const publicUrl = `http://127.0.0.1:${listener.port}`;
const channels = await startChannels({ ...parts, config, listener, readiness, metrics, publicUrl, newId: randomUUID });

/** A proactive message to all sockets of the conversation. */
const reply = async (room: string): Promise<number> => {
  const conversation = { channel: "web", room, kind: "private" } as const;
  const [id, createdAt] = [randomUUID(), new Date().toISOString()];
  await backbone.bus.publish(
    subjectsOf("default").userResponse("bench"),
    {
      id,
      tenant: "default",
      agent: "bench",
      sessionId: null,
      kind: "final",
      markdown: REPLY_TEXT,
      origin: { channel: "scheduled", promptSummary: "bench", startedAt: createdAt, sessionId: null },
      audience: { conversation, personId: null },
      createdAt,
      traceId: id,
    },
    { id, key: conversationKey(conversation) },
  );
  return 0;
};

const intake = subjectsOf("default").userMessage("bench").name;
let mostWaited = 0;
const watch = setInterval(() => {
  for (const { subject, waiting } of backbone.queues()) {
    if (subject === intake) mostWaited = Math.max(mostWaited, waiting);
  }
}, WATCH_EVERY_MS);

answerQuestions(listener.port, { reply, memory: memoryInUse, "most waited": () => mostWaited }, async () => {
  clearInterval(watch);
  await channels.stop();
  await load.close();
  await core.stop();
  await mcp.stop();
  await listener.close();
  await backbone.close();
  await rm(dataDir, { recursive: true, force: true });
});
