import { beforeAll, describe, expect } from "vitest";
import { HeldUpload } from "../../fakes/held-upload.ts";
import { proves } from "./proves.ts";
import { RawVisitor, type VisitOptions } from "./raw-visitor.ts";
import { type RunningProduct, SettingsRig } from "./settings-rig.ts";

const rig = new SettingsRig();
let mooring: RunningProduct;
const FROM = { from: "203.0.113.7" };

/**
 * A channel for each limit. Messages after the burst show the rate: accepted at once, or refused. A million per second
 * refills the burst within a microsecond, less than the time between two frames on the fastest machine.
 */
const limits = {
  plain: {},
  "small-frames": { frameBytes: 1_024 },
  "short-texts": { textLength: 10 },
  "message-burst": { messagesPerSecond: 0.01, messageBurst: 2 },
  "message-rate": { messagesPerSecond: 1_000_000, messageBurst: 1 },
  "address-burst": { messagesPerSecondOfAddress: 0.01, messageBurstOfAddress: 2 },
  "address-rate": { messagesPerSecondOfAddress: 1_000_000, messageBurstOfAddress: 1 },
  "frame-burst": { framesPerSecond: 0.01, frameBurst: 3 },
  "frame-rate": { framesPerSecond: 1_000_000, frameBurst: 1 },
  "two-of-visitor": { connectionsPerVisitor: 2 },
  "two-of-address": { connectionsPerAddress: 2 },
  "two-in-all": { connections: 2 },
  "small-files": { fileBytes: 1_000 },
  "two-uploads": { uploads: 2 },
  "two-uploads-of-address": { uploadsPerAddress: 2 },
  "few-files": { filesPerVisitor: 1 },
  "few-bytes": { fileBytesPerVisitor: 1_500 },
  "visitor-bytes": { storedBytesPerVisitor: 100_000 },
  "address-bytes": { storedBytesPerAddress: 100_000 },
  "channel-bytes": { storedBytes: 100_000 },
  "low-disk": { minFreeBytes: Number.MAX_SAFE_INTEGER },
  "short-wait": { unattachedFileMinutes: 0.02 },
};
type Channel = keyof typeof limits;

beforeAll(async () => {
  const channels = Object.fromEntries(
    Object.entries(limits).map(([name, limits]) => [name, { adapter: "web", limits }]),
  );
  mooring = await rig.start({ gateway: { host: "127.0.0.1", port: 0, trustedProxies: ["127.0.0.1"] }, channels });
});

const visit = async (channel: Channel, options: VisitOptions = {}): Promise<RawVisitor> =>
  rig.owns(await RawVisitor.greet(mooring.address, channel, options));
const connect = async (channel: Channel, options: VisitOptions = {}) => {
  const visitor = await RawVisitor.connect(mooring.address, channel, options);
  return typeof visitor === "number" ? visitor : rig.owns(visitor) && "open";
};
/** The outcomes of this many messages, sent one after the other. */
const answers = async (visitor: RawVisitor, count: number) => {
  const all: string[] = [];
  for (let message = 0; message < count; message++) all.push(await visitor.say("hello"));
  return all;
};
const post = (channel: Channel, token: string, size: number, { from = "203.0.113.9" }: VisitOptions = {}) =>
  fetch(`${mooring.address}/channels/${channel}/files?name=a.txt`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "text/plain", "x-forwarded-for": from },
    body: "x".repeat(size),
  });
const upload = async (channel: Channel, ...sizes: number[]) => {
  const token = await (await visit(channel)).token();
  const statuses: number[] = [];
  for (const size of sizes) statuses.push((await post(channel, token, size)).status);
  return statuses;
};
/** Uploads one file each as this many new visitors. */
const uploadsOf = async (channel: Channel, size: number, visitors: readonly VisitOptions[]) => {
  const statuses: number[] = [];
  for (const options of visitors) {
    const token = await (await visit(channel, options)).token();
    statuses.push((await post(channel, token, size, options)).status);
  }
  return statuses;
};

describe("given web channels with different limits", () => {
  proves(
    ["channels.*(web).limits.frameBytes", "channels.*(web).limits.textLength"],
    "when a visitor sends a long message, then each channel applies its length limit",
    async () => {
      const long = "harbour ".repeat(300);
      expect(await (await visit("plain")).say(long)).toBe("accepted");
      expect(await (await visit("small-frames")).say(long)).toBe("closed");
      expect(await (await visit("short-texts")).say(long)).toBe("too-long");
      expect(await (await visit("short-texts")).say("short")).toBe("accepted");
    },
  );

  proves(
    ["channels.*(web).limits.messagesPerSecond", "channels.*(web).limits.messageBurst"],
    "when a visitor sends several messages, then a burst is accepted, and more at the rate of the channel",
    async () => {
      expect(await answers(await visit("message-burst"), 3)).toEqual(["accepted", "accepted", "rate-limited"]);
      expect(await answers(await visit("message-rate"), 3)).toEqual(["accepted", "accepted", "accepted"]);
    },
  );

  proves(
    ["channels.*(web).limits.messagesPerSecondOfAddress", "channels.*(web).limits.messageBurstOfAddress"],
    "when visitors of one address send messages, then they share a burst, and a rate after it",
    async () => {
      for (const [channel, third] of [
        ["address-burst", "rate-limited"],
        ["address-rate", "accepted"],
      ] as const) {
        expect(await answers(await visit(channel, FROM), 2)).toEqual(["accepted", "accepted"]);
        expect(await (await visit(channel, FROM)).say("hello")).toBe(third);
        expect(await (await visit(channel, { from: "203.0.113.8" })).say("hello")).toBe("accepted");
      }
    },
  );

  proves(
    ["channels.*(web).limits.framesPerSecond", "channels.*(web).limits.frameBurst"],
    "when a connection sends frames of any kind, then a burst is accepted, and more at the rate of the channel",
    async () => {
      const outcomes = async (channel: Channel) => {
        const visitor = await visit(channel);
        await visitor.first("welcome");
        expect(await answers(visitor, 2)).toEqual(["accepted", "accepted"]);
        visitor.send({ type: "message", id: "last", text: "hello" });
        const isOver = ({ type, id, code }: { type: string; id?: unknown; code?: unknown }) =>
          (type === "accepted" && id === "last") || code === "rate-limited";
        return (await visitor.frames.until((frames) => frames.some(isOver))).find(isOver)?.type;
      };
      expect(await outcomes("frame-burst")).toBe("error");
      expect(await outcomes("frame-rate")).toBe("accepted");
    },
  );

  proves(
    ["channels.*(web).limits.connectionsPerVisitor"],
    "when a visitor opens one tab more than allowed, then that one is closed",
    async () => {
      for (const [channel, third] of [
        ["plain", "welcome"],
        ["two-of-visitor", "closed"],
      ] as const) {
        const token = await (await visit(channel)).token();
        await (await visit(channel, { token })).first("welcome");
        expect((await (await visit(channel, { token })).first("welcome", "closed")).type).toBe(third);
      }
    },
  );

  proves(
    ["channels.*(web).limits.connectionsPerAddress", "channels.*(web).limits.connections"],
    "when a connection exceeds the limit per address or in total, then it is refused",
    async () => {
      const three = async (channel: Channel, options: VisitOptions = {}) => {
        const [first, second] = [await connect(channel, options), await connect(channel, options)];
        return [first, second, await connect(channel, options)];
      };
      expect(await three("two-of-address", FROM)).toEqual(["open", "open", 429]);
      expect(await connect("two-of-address", { from: "203.0.113.8" })).toBe("open");
      expect(await three("two-in-all")).toEqual(["open", "open", 503]);
      expect(await three("plain", FROM)).toEqual(["open", "open", "open"]);
    },
  );

  proves(
    [
      "channels.*(web).limits.fileBytes",
      "channels.*(web).limits.filesPerVisitor",
      "channels.*(web).limits.fileBytesPerVisitor",
    ],
    "when a visitor uploads files, then each channel applies its limits of number and size",
    async () => {
      expect(await upload("plain", 1_100, 1_100)).toEqual([201, 201]);
      expect(await upload("small-files", 1_100, 900)).toEqual([413, 201]);
      expect(await upload("few-files", 1_100, 1)).toEqual([201, 429]);
      expect(await upload("few-bytes", 1_100, 1_100, 100)).toEqual([201, 429, 201]);
    },
  );

  proves(
    [
      "channels.*(web).limits.storedBytesPerVisitor",
      "channels.*(web).limits.storedBytesPerAddress",
      "channels.*(web).limits.storedBytes",
    ],
    "when visitors exceed the hourly storage of one visitor, an address or the channel, then further files are refused (R3)",
    async () => {
      const elsewhere = { from: "203.0.113.8" };
      expect(await upload("visitor-bytes", 40_000, 40_000)).toEqual([201, 429]);
      expect(await uploadsOf("visitor-bytes", 40_000, [FROM, FROM])).toEqual([201, 201]);
      expect(await uploadsOf("address-bytes", 40_000, [FROM, FROM, elsewhere])).toEqual([201, 429, 201]);
      expect(await uploadsOf("channel-bytes", 40_000, [FROM, elsewhere])).toEqual([201, 429]);
      expect(await (await visit("channel-bytes")).say("hello")).toBe("accepted");
    },
  );

  proves(
    ["channels.*(web).limits.uploadsPerAddress", "channels.*(web).limits.uploads"],
    "when files arrive at once, then each channel refuses those above its limits before it receives them (R3)",
    async () => {
      const begun = async (channel: Channel, from: string) => {
        const token = await (await visit(channel, { from })).token();
        return HeldUpload.begin({ address: mooring.address, channel, token, bytes: 1_000, from });
      };
      const [near, far] = ["203.0.113.21", "203.0.113.22"];
      const first = await begun("two-uploads-of-address", near);
      const second = await begun("two-uploads-of-address", near);
      expect(await (await begun("two-uploads-of-address", near)).refused()).toBe(429);
      expect(await (await begun("two-uploads-of-address", far)).finish()).toBe(201);
      expect([await first.finish(), await second.finish()]).toEqual([201, 201]);
      expect(await (await begun("two-uploads-of-address", near)).finish()).toBe(201);
      // Visitors without an identity may use one of two places.
      const only = await begun("two-uploads", near);
      expect(await (await begun("two-uploads", far)).refused()).toBe(429);
      only.abort();
      await expect.poll(async () => (await begun("two-uploads", far)).finish()).toBe(201);
      const held = [await begun("plain", near), await begun("plain", near), await begun("plain", near)];
      expect(await Promise.all(held.map((upload) => upload.finish()))).toEqual([201, 201, 201]);
    },
  );

  proves(
    ["tenants.*.uploads"],
    "when files arrive at once on two channels of a tenant, then both together keep its limit, and not another tenant (R3)",
    async () => {
      const channels = Object.fromEntries(
        ["one", "two", "other"].map((name) => [name, { adapter: "web", agent: name === "other" ? "beta" : "alpha" }]),
      );
      const agents = [
        { name: "alpha", model: "demo" },
        { name: "beta", tenant: "acme", model: "demo" },
      ];
      const { address } = await rig.start({ tenants: { default: { uploads: 1 }, acme: {} }, agents, channels });
      const begun = async (channel: string) => {
        const token = await rig.owns(await RawVisitor.greet(address, channel)).token();
        return HeldUpload.begin({ address, channel, token, bytes: 1_000 });
      };
      const first = await begun("one");
      expect(await (await begun("two")).refused()).toBe(429);
      expect(await (await begun("other")).finish()).toBe(201);
      expect(await first.finish()).toBe(201);
      expect(await (await begun("two")).finish()).toBe(201);
    },
  );

  proves(
    ["tenants.*.storedBytes"],
    "when visitors of two channels exceed the hourly storage of their tenant, then it is refused on both, and not in another tenant (R3)",
    async () => {
      const channels = Object.fromEntries(
        ["one", "two", "other"].map((name) => [name, { adapter: "web", agent: name === "other" ? "beta" : "alpha" }]),
      );
      const product = await rig.start({
        tenants: { default: { storedBytes: 100_000 }, acme: {} },
        agents: [
          { name: "alpha", model: "demo" },
          { name: "beta", tenant: "acme", model: "demo" },
        ],
        channels,
      });
      const statusOf = async (channel: string) => {
        const token = await rig.owns(await RawVisitor.greet(product.address, channel)).token();
        const headers = { authorization: `Bearer ${token}`, "content-type": "text/plain" };
        const url = `${product.address}/channels/${channel}/files?name=a.txt`;
        return (await fetch(url, { method: "POST", headers, body: "x".repeat(40_000) })).status;
      };
      expect([await statusOf("one"), await statusOf("two"), await statusOf("other")]).toEqual([201, 429, 201]);
      expect(await rig.owns(await RawVisitor.greet(product.address, "two")).say("hello")).toBe("accepted");
    },
  );

  proves(
    ["channels.*(web).limits.minFreeBytes"],
    "when the disk has less free space than a channel requires, then files are refused and messages are accepted (R3)",
    async () => {
      const health = await (await fetch(`${mooring.address}/health/ready`)).json();
      expect(health).toMatchObject({
        ready: true,
        degraded: [{ part: "disk", reason: expect.stringContaining("low") }],
      });
      const metrics = await (await fetch(`${mooring.address}/metrics`)).text();
      expect(metrics).toMatch(/^mooring_disk_low 1$/m);
      expect(metrics).toMatch(/^mooring_disk_free_bytes \d+/m);
      expect(await upload("low-disk", 10)).toEqual([503]);
      expect(await (await visit("low-disk")).say("hello")).toBe("accepted");
    },
  );

  proves(
    ["channels.*(web).limits.unattachedFileMinutes"],
    "when no message names a file in time, then it is deleted",
    async () => {
      const statusLater = async (channel: Channel) => {
        const token = await (await visit(channel)).token();
        const { id } = (await (await post(channel, token, 10)).json()) as { id: string };
        const headers = { authorization: `Bearer ${token}` };
        return async () => (await fetch(`${mooring.address}/channels/${channel}/files?id=${id}`, { headers })).status;
      };
      const [kept, deleted] = [await statusLater("plain"), await statusLater("short-wait")];
      await expect.poll(deleted, { timeout: 10_000 }).toBe(404);
      expect(await kept()).toBe(200);
    },
  );
});
