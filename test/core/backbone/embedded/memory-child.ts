import { openEmbeddedBackbone } from "../../../../core/backbone/embedded/open-embedded-backbone.ts";
import { ack } from "../../../../core/contract/ports/bus.ts";
import { systemClock } from "../../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../../core/contract/ports/logger.ts";
import { counted } from "./sample-kinds.ts";

/** Publishes, handles and acknowledges, and prints the heap size at each tenth. Needs --expose-gc. */
const [dataDir = "", total = "0"] = process.argv.slice(2);
// The duplicate window is two minutes: with a fast wall clock it passes quickly.
const clock = { ...systemClock, now: () => systemClock.now() + systemClock.monotonic() * 10_000 };
const { bus } = await openEmbeddedBackbone({ dataDir, logger: silentLogger, clock });
// Higher than the number of concurrent publishes, so that only a leak can accumulate.
await bus.consume(counted(), { durable: "d", concurrency: 200 }, async () => ack);

const tenth = Number(total) / 10;
let n = 0;
for (let part = 1; part <= 10; part++) {
  const lane = async () => {
    while (n < part * tenth) {
      const id = `message-${++n}`;
      await bus.publish(counted(), { n, text: "x".repeat(100) }, { id, key: `key-${n}` });
    }
  };
  await Promise.all(Array.from({ length: 100 }, lane));
  gc?.();
  process.stdout.write(`${process.memoryUsage().heapUsed}\n`);
}
process.exit();
