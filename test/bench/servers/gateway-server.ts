import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Config } from "../../../config/schema/config.ts";
import { openBackbone } from "../../../core/backbone/drivers.ts";
import { systemClock as clock } from "../../../core/contract/ports/clock.ts";
import { whenHealthy } from "../../../gateway/backbone-health.ts";
import { openHttpListener } from "../../../gateway/http/http-listener.ts";
import { createReadiness } from "../../../gateway/http/readiness.ts";
import { startChannels } from "../../../gateway/start-channels.ts";
import { createLogger } from "../../../gateway/telemetry/create-logger.ts";
import { createMetrics } from "../../../gateway/telemetry/create-metrics.ts";
import { answerQuestions, memoryInUse } from "./answer-questions.ts";
import { UNLIMITED } from "./unlimited.ts";

/** A gateway with one channel, as with a separate core: it stores every message, and no core answers. */
const { values, positionals } = parseArgs({
  options: { slack: { type: "string" }, teams: { type: "string" } },
  allowPositionals: true,
});
const [natsUrl] = positionals;
const access = { messagesPerMinute: 1e9 };
const dataDir = await mkdtemp(join(tmpdir(), "mooring-bench-"));
const config = Config.parse({
  gateway: { host: "127.0.0.1", port: 0, limits: UNLIMITED },
  dataDir,
  agents: [{ name: "bench", model: "demo" }],
  backbone: natsUrl ? { nats: { servers: [natsUrl] } } : "embedded",
  channels: Object.fromEntries(
    Object.entries(values).map(([name, channel]) => [
      name,
      { ...(JSON.parse(channel) as object), agent: "bench", access },
    ]),
  ),
});
const logger = createLogger(config.logLevel);
const metrics = createMetrics(logger);
const readiness = createReadiness();
const listener = await openHttpListener(config.gateway, readiness);
const backbone = await openBackbone(config.backbone, { dataDir, clock, logger });
await whenHealthy(backbone, clock, new AbortController().signal);
const parts = { clock, logger, meter: metrics.meter, backbone, newId: randomUUID };
const publicUrl = `http://127.0.0.1:${listener.port}`;
const channels = await startChannels({ ...parts, config, listener, readiness, metrics, publicUrl });

answerQuestions(listener.port, { memory: memoryInUse }, async () => {
  await channels.stop();
  await listener.close();
  await backbone.close();
  await rm(dataDir, { recursive: true, force: true });
});
