import { openNatsBackbone } from "../../../../../core/backbone/nats/open-nats-backbone.ts";
import { numbers } from "./samples.ts";

/** A process that consumes and prints what it does: "ready", then "start <id>" and "end <id>". */
const [url = "", leaseMs = "1000", handleMs = "0"] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);

const backbone = await openNatsBackbone({ servers: [url], leaseMs: Number(leaseMs) });
await backbone.bus.consume(numbers("shared"), { durable: "shared", concurrency: 8 }, async (_, { id, attempt }) => {
  say(`start ${id} ${attempt}`);
  if (Number(handleMs) > 0) await new Promise((resolve) => setTimeout(resolve, Number(handleMs)));
  say(`end ${id} ${attempt}`);
  return { ack: true };
});
process.on("SIGTERM", () => void backbone.close());
say("ready");
