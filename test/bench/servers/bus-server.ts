import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BackboneConfig } from "../../../core/backbone/config.ts";
import { openBackbone } from "../../../core/backbone/drivers.ts";
import { ack } from "../../../core/contract/ports/bus.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { whenHealthy } from "../../../gateway/backbone-health.ts";
import { testSubject } from "../../contract/test-message.ts";
import { throughput } from "../measure.ts";
import { answerQuestions, memoryInUse } from "./answer-questions.ts";

/** A process that publishes, handles and acknowledges, and reports the memory in use afterwards. */
const [natsUrl] = process.argv.slice(2);
const dataDir = await mkdtemp(join(tmpdir(), "mooring-bench-"));
// Message ids are kept for two minutes: a fast wall clock lets them expire.
const clock = { ...systemClock, now: () => systemClock.now() + systemClock.monotonic() * 100 };
const config = BackboneConfig.parse(natsUrl ? { nats: { servers: [natsUrl] } } : "embedded");
const backbone = await openBackbone(config, { dataDir, clock, logger: silentLogger });
await whenHealthy(backbone, clock, new AbortController().signal);
const subject = testSubject("soak");
await backbone.bus.consume(subject, { durable: "soak", concurrency: 200 }, async () => ack);
let serial = 0;
const publish = () => {
  const n = ++serial;
  return backbone.bus.publish(subject, { n, text: "hello" }, { id: `m${n}`, key: `k${n % 200}` });
};

const pass = async (count: string): Promise<number> => {
  await throughput(Number(count), 100, publish);
  return memoryInUse();
};
answerQuestions(0, { pass }, async () => {
  await backbone.close();
  await rm(dataDir, { recursive: true, force: true });
});
