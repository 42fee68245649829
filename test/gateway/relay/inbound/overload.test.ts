import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebAdapter } from "../../../../adapters/web/adapter.ts";
import { WebConfig } from "../../../../adapters/web/config.ts";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import type { Backbone } from "../../../../core/contract/ports/backbone.ts";
import { systemClock } from "../../../../core/contract/ports/clock.ts";
import { silentLogger as logger } from "../../../../core/contract/ports/logger.ts";
import { silentMeter as meter } from "../../../../core/contract/ports/telemetry.ts";
import { POLL_LOAD_EVERY_MS, publishLoad } from "../../../../core/intake/publish-load.ts";
import { startCore } from "../../../../core/start-core.ts";
import { adapterContext, relayContext } from "../../../../gateway/channel-contexts.ts";
import { Backpressure } from "../../../../gateway/relay/inbox.ts";
import { runChannel } from "../../../../gateway/relay/run-channel.ts";
import { SocketHost } from "../../../adapters/web/socket-host.ts";
import { enter, type WebClient } from "../../../adapters/web/web-client.ts";
import { embeddedHarness } from "../../../contract/embedded-harness.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { says } from "../../../fakes/scripted-model.ts";

const MAX_WAITING = 10;
const AT_ONCE = 2;
const VISITORS = 5;
const SENT_BY_EACH = 8;

/** A product with a model that waits until it is released, and a clock that publishes the load. */
const startProduct = async (backbone: Backbone) => {
  let letGo: () => void = () => undefined;
  const free = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const model = { label: "held", step: () => free.then(() => says("Noted.")) };
  const core = await startCore({
    backbone,
    agents: [{ name: "mooring", tenant: "default", model }],
    clock: systemClock,
    logger,
    meter,
    concurrency: AT_ONCE,
  });
  const host = await new SocketHost().open();
  const channelRef = { channel: "web", tenant: "default", agent: "mooring", publicUrl: host.origin };
  const parts = { ...channelRef, backbone, clock: systemClock, logger, meter, newId: randomUUID };
  const clock = new ManualClock();
  const crowd = new Backpressure({ ...channelRef, bus: backbone.bus, clock, maxWaiting: MAX_WAITING });
  await crowd.start();
  const adapter = new WebAdapter(WebConfig.parse({ adapter: "web" }), adapterContext(parts));
  const rules = { refuseIfOverloaded: () => crowd.refuseIfOverloaded() };
  const channel = await runChannel(relayContext(parts, rules), adapter, "gateway");
  host.mount(adapter);
  const load = publishLoad({ backbone, clock }, { tenant: "default", name: "mooring" });
  return {
    gateway: { url: host.url, origin: host.origin },
    letGo,
    publishLoad: () => clock.advance(POLL_LOAD_EVERY_MS),
    waiting: () =>
      backbone.queues().find(({ subject }) => subject === subjectsOf("default").userMessage("mooring").name)?.waiting,
    async stop() {
      letGo();
      await load.close();
      crowd.stop();
      await host.close();
      await channel.stop();
      await core.stop();
    },
  };
};

/** Sends a message; resolves to whether it was accepted. A refusal must say when to try again. */
const isTaken = async (client: WebClient, id: string): Promise<boolean> => {
  const before = client.frames.length;
  const verdict = () =>
    client.frames.slice(before).find(({ type }) => type === "accepted" || type === "error") as
      | Record<string, unknown>
      | undefined;
  client.send({ type: "message", id, text: "Please note this down." });
  await client.until(() => verdict() !== undefined);
  if (verdict()?.type === "accepted") return true;
  const message = "too many messages are waiting for an answer: please send this again in a few minutes";
  expect(verdict()).toMatchObject({ code: "rate-limited", id, message });
  return false;
};

const answersOf = (client: WebClient): unknown[] =>
  client.frames.flatMap((frame) => (frame.type === "reply" ? [frame.correlationId] : []));

describe("given more messages than an agent can answer", () => {
  let product: Awaited<ReturnType<typeof startProduct>>;
  let dispose: () => Promise<void>;
  beforeEach(async () => {
    const deployment = await embeddedHarness.deploy();
    product = await startProduct(await deployment.open());
    dispose = async () => {
      await product.stop();
      await deployment.dispose();
    };
  });
  afterEach(() => dispose());

  it("when the queue is full, then refused senders get an error, accepted messages are answered, and later all are", async () => {
    const { gateway, publishLoad, letGo, waiting } = product;
    const visitors = await Promise.all(Array.from({ length: VISITORS }, () => enter(gateway)));
    const visits = visitors.map(({ client }) => ({ client, taken: [] as string[], refused: [] as string[] }));
    for (let n = 0; n < SENT_BY_EACH; n++) {
      for (const { client, taken, refused } of visits) {
        ((await isTaken(client, `m${n}`)) ? taken : refused).push(`m${n}`);
        publishLoad();
        expect(waiting()).toBeLessThanOrEqual(MAX_WAITING);
      }
    }
    expect(visits.flatMap(({ taken }) => taken)).toHaveLength(AT_ONCE + MAX_WAITING);

    letGo();
    for (const { client, taken } of visits) {
      await client.until(() => answersOf(client).length === taken.length);
      expect(answersOf(client)).toEqual(taken);
    }

    await expect.poll(waiting).toBe(0);
    publishLoad();
    for (const { client, taken, refused } of visits) {
      for (const id of refused) expect(await isTaken(client, id)).toBe(true);
      const all = [...taken, ...refused];
      await client.until(() => answersOf(client).length === all.length);
      expect(answersOf(client)).toEqual(all);
    }
  });
});
