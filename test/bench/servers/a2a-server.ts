import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Config } from "../../../config/schema/config.ts";
import { openBackbone } from "../../../core/backbone/drivers.ts";
import { systemClock as clock } from "../../../core/contract/ports/clock.ts";
import { startCore } from "../../../core/start-core.ts";
import { inboundOptions } from "../../../gateway/agent-config.ts";
import { whenHealthy } from "../../../gateway/backbone-health.ts";
import { openHttpListener } from "../../../gateway/http/http-listener.ts";
import { createReadiness } from "../../../gateway/http/readiness.ts";
import { startChannels } from "../../../gateway/start-channels.ts";
import { createLogger } from "../../../gateway/telemetry/create-logger.ts";
import { createMetrics } from "../../../gateway/telemetry/create-metrics.ts";
import { A2A_TOKEN } from "../a2a-caller.ts";
import { instantModel } from "../instant-model.ts";
import { answerQuestions } from "./answer-questions.ts";
import { UNLIMITED } from "./unlimited.ts";

/** Gateway and core as `mooring start` runs them, with one caller and a model that answers at once. */
const [natsUrl] = process.argv.slice(2);
const dataDir = await mkdtemp(join(tmpdir(), "mooring-bench-"));
const config = Config.parse({
  gateway: { host: "127.0.0.1", port: 0, limits: UNLIMITED },
  backbone: natsUrl ? { nats: { servers: [natsUrl] } } : "embedded",
  dataDir,
  agents: [{ name: "bench", model: "demo" }],
  a2a: { callers: { bench: { token: A2A_TOKEN, requestsPerMinute: 1_000_000 } } },
});
const logger = createLogger(config.logLevel);
const metrics = createMetrics(logger);
const readiness = createReadiness();
const listener = await openHttpListener(config.gateway, readiness);
const backbone = await openBackbone(config.backbone, { dataDir, clock, logger });
await whenHealthy(backbone, clock, new AbortController().signal);
const parts = { clock, logger, meter: metrics.meter, backbone };
const agent = { name: "bench", tenant: "default", skills: [] };
const inbound = inboundOptions(config, agent, undefined);
const core = await startCore({ ...parts, agents: [{ ...agent, model: instantModel, inbound }] });
const publicUrl = `http://127.0.0.1:${listener.port}`;
const channels = await startChannels({ ...parts, config, listener, readiness, metrics, publicUrl, newId: randomUUID });

answerQuestions(listener.port, {}, async () => {
  await channels.stop();
  await core.stop();
  await listener.close();
  await backbone.close();
  await rm(dataDir, { recursive: true, force: true });
});
