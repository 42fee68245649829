import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Config } from "../../../config/schema/config.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { runMooring } from "../../../gateway/run-mooring.ts";
import { createLogger } from "../../../gateway/telemetry/create-logger.ts";
import { answerQuestions, memoryInUse } from "./answer-questions.ts";
import { UNLIMITED } from "./unlimited.ts";

/** `mooring start` with one channel and the demo model, which answers at once; only the limits are those of the bench. */
const { values, positionals } = parseArgs({
  options: { channel: { type: "string", default: "{}" }, port: { type: "string", default: "0" } },
  allowPositionals: true,
});
const [natsUrl] = positionals;
const { adapter, ...channel } = JSON.parse(values.channel) as Record<string, unknown> & { adapter?: string };
// Only then, as in the product, because the SDK takes long to load.
if (adapter === "discord") (await import("./lift-discord-limit.ts")).liftDiscordLimit();
const dataDir = await mkdtemp(join(tmpdir(), "mooring-bench-"));
const config = Config.parse({
  gateway: { host: "127.0.0.1", port: Number(values.port), limits: UNLIMITED, drainMs: 0 },
  dataDir,
  agents: [{ name: "bench", model: "demo" }],
  backbone: natsUrl ? { nats: { servers: [natsUrl] } } : "embedded",
  channels: adapter === undefined ? {} : { [adapter]: { adapter, ...channel } },
});
const running = await runMooring({
  config,
  roles: ["gateway", "core"],
  clock: systemClock,
  logger: createLogger(config.logLevel),
  newId: randomUUID,
  abortStart: new AbortController().signal,
});

answerQuestions(Number(new URL(running.url ?? "").port), { memory: memoryInUse }, async () => {
  await running.stop();
  await rm(dataDir, { recursive: true, force: true });
});
