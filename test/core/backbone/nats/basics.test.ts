import { afterEach, describe, expect, it } from "vitest";
import { openNatsBackbone } from "../../../../core/backbone/nats/open-nats-backbone.ts";
import { NatsServer } from "../../../fakes/nats-server.ts";
import { eventually } from "./rig/eventually.ts";
import { numbered, numbers, sampleKey, things } from "./rig/samples.ts";

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const started = async (options?: Parameters<typeof NatsServer.start>[0]) => {
  const server = await NatsServer.start(options);
  undo.push(() => server.stop());
  return server;
};

const opened = async (options: Parameters<typeof openNatsBackbone>[0]) => {
  const backbone = await openNatsBackbone({ leaseMs: 1_000, ...options });
  undo.push(() => backbone.close());
  return backbone;
};

describe("given a server that is unreachable at the start (F4)", () => {
  it("when it starts later, then health is ok, and publishes, values and consumers work", async () => {
    const server = await started({ startLater: true });
    const backbone = await opened({ servers: [server.url] });
    expect(backbone.health()).toEqual({ ok: false, reason: expect.stringContaining(`127.0.0.1:${server.port}`) });
    const handled: number[] = [];
    await backbone.bus.consume(numbers("a"), { durable: "d", concurrency: 1 }, async ({ n }) => {
      handled.push(n);
      return { ack: true };
    });
    const published = backbone.bus.publish(numbers("a"), numbered(1), { id: "one" });
    const put = backbone.store.put(sampleKey("x"), { n: 1 });
    await server.restart();
    await published;
    expect(await put).toBeGreaterThan(0);
    await eventually(() => expect(handled).toEqual([1]));
    expect(backbone.health()).toEqual({ ok: true });
  });

  it("when it stays unreachable, then operations reject as unavailable after their deadline", async () => {
    const server = await started({ startLater: true });
    const backbone = await opened({ servers: [server.url], operationTimeoutMs: 200 });
    await expect(backbone.bus.publish(numbers("a"), numbered(1), { id: "one" })).rejects.toMatchObject({
      code: "unavailable",
    });
    await expect(backbone.store.get(sampleKey("x"))).rejects.toMatchObject({ code: "unavailable" });
  });

  it("when the backbone is closed, then waiting operations reject as stopped", async () => {
    const server = await started({ startLater: true });
    const backbone = await opened({ servers: [server.url] });
    const waiting = expect(backbone.store.get(sampleKey("x"))).rejects.toMatchObject({ code: "stopped" });
    await backbone.close();
    await waiting;
  });
});

describe("given a configuration that cannot work", () => {
  it("when the server has no JetStream, then opening rejects and says what to do", async () => {
    const server = await started({ jetStream: false });
    await expect(openNatsBackbone({ servers: [server.url] })).rejects.toMatchObject({
      code: "bad-configuration",
      message: expect.stringContaining("-js"),
    });
  });

  it("when a server that starts later has no JetStream, then health and operations say so", async () => {
    const server = await started({ jetStream: false, startLater: true });
    const backbone = await opened({ servers: [server.url] });
    await server.restart();
    await eventually(() =>
      expect(backbone.health()).toEqual({ ok: false, reason: expect.stringContaining("no JetStream") }),
    );
    await expect(backbone.store.get(sampleKey("x"))).rejects.toMatchObject({ code: "bad-configuration" });
  });

  it("when the credentials are wrong, then the error names the server and not the password", async () => {
    const server = await started({ auth: { user: "mooring", password: "right" } });
    const opening = openNatsBackbone({ servers: [server.url], auth: { user: "mooring", password: "s3cret" } });
    const error = await opening.catch((caught: Error) => caught);
    expect(error).toMatchObject({ code: "bad-configuration", message: expect.stringContaining(String(server.port)) });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("s3cret");
  });

  it.each([{ auth: { user: "mooring", password: "right" } }, { auth: { token: "right" } }])(
    "when the credentials are right ($auth), then it works",
    async ({ auth }) => {
      const server = await started({ auth });
      const backbone = await opened({ servers: [server.url], auth });
      expect(await backbone.store.put(sampleKey("x"), { n: 1 })).toBe(1);
    },
  );

  it("when the credentials file is missing, then the error names it", async () => {
    const server = await started();
    const auth = { credentialsFile: "/nowhere/mooring.creds" };
    await expect(openNatsBackbone({ servers: [server.url], auth })).rejects.toMatchObject({
      code: "bad-configuration",
      message: expect.stringContaining("/nowhere/mooring.creds"),
    });
  });

  it.each(["", "a.b", "a b", "a*", ">", "a_b", "ü", "x".repeat(33)])(
    "when the prefix is %j, then it is refused",
    async (prefix) => {
      await expect(openNatsBackbone({ servers: ["nats://127.0.0.1:1"], prefix })).rejects.toMatchObject({
        code: "bad-configuration",
        message: expect.stringContaining("prefix"),
      });
    },
  );

  it.each([4, 12, 72])(
    "when a process starts with %i partitions on a deployment of 8, then it is refused, because it is not a raise to a multiple",
    async (partitions) => {
      const server = await started();
      await opened({ servers: [server.url], partitions: 8 });
      await expect(openNatsBackbone({ servers: [server.url], partitions })).rejects.toMatchObject({
        code: "bad-configuration",
        message: expect.stringContaining("8 partitions, not"),
      });
      await opened({ servers: [server.url], partitions, prefix: "other" });
    },
  );
});

describe("given two deployments on one server", () => {
  it("when both use the same names, then they are isolated", async () => {
    const server = await started();
    const one = await opened({ servers: [server.url], prefix: "one" });
    const two = await opened({ servers: [server.url], prefix: "two" });
    await one.store.put(sampleKey("x"), { n: 1 });
    expect(await two.store.get(sampleKey("x"))).toBeUndefined();
    expect(await two.store.put(sampleKey("x"), { n: 2 }, { ifRevision: 0 })).toBe(1);
    const received: number[] = [];
    await two.bus.listen(numbers("a"), ({ n }) => received.push(n));
    one.bus.signal(numbers("a"), numbered(1));
    two.bus.signal(numbers("a"), numbered(2));
    await eventually(() => expect(received).toEqual([2]));
  });
});

describe("given a stored value that does not match its schema", () => {
  it("when it is read, then the error names its key", async () => {
    const server = await started();
    const backbone = await opened({ servers: [server.url] });
    await backbone.store.put({ ...sampleKey("x"), collection: things("loose") }, { other: true } as never);
    await expect(backbone.store.get(sampleKey("x"))).rejects.toMatchObject({
      code: "data-unusable",
      message: expect.stringContaining('"x" in "things"'),
    });
  });
});
