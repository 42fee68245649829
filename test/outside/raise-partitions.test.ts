import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import type { WebClient } from "../fakes/web-client.ts";
import { Product, type StartedProcess } from "./product.ts";

beforeAll(requireFreshBuild);

const VISITORS = 12;
/** A visitor may send one message a second. */
const PAUSE_MS = 1_000;

let product: Product;
afterEach(() => product.dispose());

const withPartitions = (partitions: number) => ({
  backbone: { nats: { servers: [product.nats?.url], leaseMs: 1_000, partitions } },
});

describe("given a gateway and three cores on NATS with 4 partitions, under load", () => {
  it("when one core restarts with 16 and another one is killed during the raise, then each message is answered once, in order (U5)", async () => {
    product = await Product.create({ backbone: "nats" });
    const gateway = await product.start("gateway", withPartitions(4));
    const cores: StartedProcess[] = [];
    for (let n = 0; n < 3; n++) cores.push(await product.start("core", withPartitions(4)));
    await Promise.all([gateway, ...cores].map((process) => process.ready()));

    const visitors = Array.from({ length: VISITORS }, (_, nth) => product.client(`visitor-${nth}`, gateway.address));
    let isOver = false;
    const visit = async (visitor: WebClient) => {
      for (; !isOver; await delay(PAUSE_MS)) {
        // Two at a time: the second waits in the queue of its conversation.
        const said = [visitor.say(`first ${visitor.sent.length}`), visitor.say(`second ${visitor.sent.length}`)];
        for (const id of said) await visitor.answerTo(id);
      }
    };
    const visiting = Promise.all(visitors.map(visit));
    visiting.catch(() => undefined);
    const answers = () => visitors.reduce((sum, visitor) => sum + visitor.replies().length, 0);
    const more = async (count: number) => {
      const before = answers();
      await expect.poll(answers, { timeout: 60_000 }).toBeGreaterThan(before + count);
    };
    await more(VISITORS);

    await cores[0]?.end();
    const raising = await product.start("core", withPartitions(16));
    await expect.poll(() => raising.stdout() + raising.stderr(), { timeout: 60_000 }).toContain("partitions raised");
    await cores[1]?.end("SIGKILL");
    await raising.ready();
    await more(2 * VISITORS);
    // The old configuration still works, with the raised number.
    const late = await product.start("core", withPartitions(4));
    await late.ready();
    await cores[2]?.end();
    await more(2 * VISITORS);
    isOver = true;
    await visiting;

    for (const visitor of visitors) {
      expect(visitor.replies().map(({ correlationId }) => correlationId)).toEqual(visitor.sent);
      expect(visitor.errors).toEqual([]);
    }
    expect(late.stdout() + late.stderr()).toContain("partitions cannot be lowered");
  }, 240_000);

  it("when a core starts with a number that is not a multiple, then it ends with advice", async () => {
    product = await Product.create({ backbone: "nats" });
    const first = await product.start("core", withPartitions(4));
    await first.ready();
    const other = await product.start("core", withPartitions(6));
    expect((await other.exited).code).not.toBe(0);
    expect(other.stderr()).toContain("has 4 partitions, not 6");
    expect(other.stderr()).toContain("a multiple of it up to 32");
  });
});
