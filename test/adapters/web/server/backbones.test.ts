import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { openEmbeddedBackbone } from "../../../../core/backbone/embedded/open-embedded-backbone.ts";
import { openNatsBackbone } from "../../../../core/backbone/nats/open-nats-backbone.ts";
import type { Backbone } from "../../../../core/contract/ports/backbone.ts";
import { silentLogger as logger } from "../../../../core/contract/ports/logger.ts";
import { collection, prefixOf } from "../../../../core/contract/ports/store.ts";
import { NatsServer } from "../../../fakes/nats-server.ts";
import { fileServer } from "../files/file-server.ts";
import { enter } from "../web-client.ts";
import { startEcho, startOnBackbone } from "./backbone-gateway.ts";

const ended: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

/** Each opens the same data; on NATS every gateway has its own connection. */
const embedded = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "mooring-web-"));
  ended.push(() => rm(dataDir, { recursive: true }));
  return async () => {
    const backbone = await openEmbeddedBackbone({ dataDir, logger });
    return { all: [backbone], one: backbone, two: backbone };
  };
};
const nats = async () => {
  const server = await NatsServer.start();
  ended.push(() => server.stop());
  const open = () => openNatsBackbone({ servers: [server.url], prefix: "web", partitions: 4, logger });
  return async () => {
    const [one, two] = await Promise.all([open(), open()]);
    return { all: [one, two], one, two };
  };
};
const closeAll = (backbones: readonly Backbone[]) => Promise.all(backbones.map((backbone) => backbone.close()));

describe.each([
  ["embedded", embedded],
  ["NATS", nats],
] as const)("given two gateways on %s", (_, prepare) => {
  it("when a conversation is started on one gateway, then the other lists it, and deletes its log (C5)", async () => {
    const open = await prepare();
    const { all, one: first, two: second } = await open();
    const gateways = [await startOnBackbone(first), await startOnBackbone(second)] as const;
    const { welcome } = await enter(gateways[0]);
    const request = async ({ adapter }: (typeof gateways)[number], body?: object) => {
      const method = body === undefined ? "GET" : "POST";
      const route = adapter.webhooks.find((each) => each.path === "conversations" && each.method === method);
      const headers = { authorization: `Bearer ${welcome.token}` };
      const head = { headers, query: {}, remoteAddress: "127.0.0.1", whenClosed: () => undefined };
      const answer = await route?.handle({ ...head, body: Buffer.from(JSON.stringify(body ?? "")) });
      return answer?.body === undefined ? undefined : JSON.parse(String(answer.body));
    };
    const { id } = await request(gateways[0], { action: "start" });
    const { client } = await enter(gateways[1], { token: welcome.token, conversation: id });
    client.send({ type: "message", id: "m1", text: "plan the trip" });
    await client.next("accepted");
    const listed = [{ id: "main" }, { id, title: "plan the trip", unread: false }];
    expect((await request(gateways[0])).conversations).toMatchObject(listed);
    await request(gateways[1], { action: "delete", id });
    expect((await request(gateways[0])).conversations).toMatchObject([{ id: "main" }]);
    for await (const { value } of first.store.list(prefixOf(collection("web-log", z.unknown()))))
      expect(JSON.stringify(value)).not.toContain("trip");
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await closeAll(all);
  });

  it("when tabs on both gateways send, then both get all entries in one order, also after a restart", async () => {
    const open = await prepare();
    const { all, one: first, two: second } = await open();
    const gateways = [await startOnBackbone(first), await startOnBackbone(second)] as const;
    const echo = await startEcho(first, gateways);
    const { client: one, welcome } = await enter(gateways[0]);
    const { client: two } = await enter(gateways[1], { token: welcome.token });
    for (let n = 0; n < 10; n++) {
      one.send({ type: "message", id: `a${n}`, text: `a${n}` });
      two.send({ type: "message", id: `b${n}`, text: `b${n}` });
    }
    for (const tab of [one, two]) await tab.until(() => tab.logged().length === 40);
    expect(one.logged()).toEqual(two.logged());
    expect(one.logged().map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    await echo.close();
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await closeAll(all);

    const again = await open();
    const gateway = await startOnBackbone(again.one);
    const back = await enter(gateway, { token: welcome.token, resumeFrom: 38 });
    back.client.send({ type: "message", id: "a9", text: "a9" });
    back.client.send({ type: "message", id: "c0", text: "c0" });
    await back.client.next("said", ({ id }) => id === "c0");
    expect(back.client.logged().map(({ seq }) => seq)).toEqual([39, 40, 41]);
    await gateway.stop();
    await closeAll(again.all);
  });

  it("when a file is uploaded to one gateway, then the other serves it completely", async () => {
    const { all, one, two } = await (await prepare())();
    const gateways = [await startOnBackbone(one), await startOnBackbone(two)] as const;
    const { client, welcome } = await enter(gateways[0]);
    const uploading = await fileServer(gateways[0].adapter);
    const downloading = await fileServer(gateways[1].adapter);
    const bytes = randomBytes(1_500_000);
    const { id } = await uploading.upload(welcome.token, bytes, { name: "noise.bin" });
    const { client: other } = await enter(gateways[1], { token: welcome.token });
    other.send({ type: "message", id: "m1", text: "look", attachments: [{ id }] });
    expect(await client.next("said")).toMatchObject({ attachments: [{ id, name: "noise.bin", bytes: 1_500_000 }] });
    const back = await downloading.download(welcome.token, id);
    expect(bytes.equals(back.rawPayload)).toBe(true);
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await closeAll(all);
  });
});
