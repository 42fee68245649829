import { expect, it } from "vitest";
import { cleanup } from "../rig/cleanup.ts";
import { eventually } from "../rig/eventually.ts";
import { Journal } from "../rig/journal.ts";
import { numbered, numbers } from "../rig/samples.ts";

const start = cleanup();
const subject = numbers("long");
/** More than a partition keeps in memory. */
const STUCK = 11_000;

it("given a key with more waiting messages than a partition keeps in memory, when its head ends, then the rest runs in order", async () => {
  const { url } = await start.server();
  const { bus } = await start.backbone({ servers: [url], partitions: 1, leaseMs: 60_000 });
  const journal = new Journal();
  const handle = journal.handler("here");
  let release: () => void = () => undefined;
  const stuck = new Promise<void>((resolve) => {
    release = resolve;
  });
  await bus.consume(subject, { durable: "long", concurrency: 8 }, async (message, received) => {
    if (received.id === "stuck/0") await stuck;
    return handle(message, received);
  });
  for (let n = 0; n < STUCK; n += 1_000) {
    await Promise.all(
      Array.from({ length: 1_000 }, (_, k) =>
        bus.publish(subject, numbered(n + k), { id: `stuck/${n + k}`, key: "stuck" }),
      ),
    );
  }
  await bus.publish(subject, numbered(0), { id: "free/0", key: "free" });
  release();
  await eventually(() => expect(journal.distinct).toBe(STUCK + 1));
  expect(journal.repeats).toBe(0);
  journal.expectOrder();
});
