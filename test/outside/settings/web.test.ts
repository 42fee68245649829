import { beforeAll, describe, expect } from "vitest";
import { proves } from "./proves.ts";
import { RawVisitor, type VisitOptions } from "./raw-visitor.ts";
import { IDENTITY_KEY, type RunningProduct, SettingsRig, visitorToken } from "./settings-rig.ts";

const rig = new SettingsRig();
let mooring: RunningProduct;
const DAY_MS = 24 * 3_600_000;
const [KEY, OTHER_KEY] = ["signing-key-of-the-tests-0123456789-a", "signing-key-of-the-tests-0123456789-b"];

const channels = (signingKey = KEY) => ({
  plain: { adapter: "web" },
  shop: { adapter: "web", allowedOrigins: ["https://shop.example"] },
  known: { adapter: "web", identityKey: IDENTITY_KEY },
  "ada-only": { adapter: "web", identityKey: IDENTITY_KEY, access: { accounts: ["ada"] } },
  "once-a-minute": { adapter: "web", identityKey: IDENTITY_KEY, access: { messagesPerMinute: 1 } },
  signed: { adapter: "web", signingKey },
  "signed-alike": { adapter: "web", signingKey: KEY },
  rotated: {
    adapter: "web",
    signingKey,
    identityKey: signingKey,
    ...(signingKey !== KEY && { previousSigningKey: KEY, previousIdentityKey: KEY }),
  },
  spoken: { adapter: "web", voiceInput: true },
  "one-day": { adapter: "web", retentionDays: 1, fileDays: 1 },
  "three-days": { adapter: "web", retentionDays: 3, fileDays: 3 },
});

beforeAll(async () => {
  mooring = await rig.start({ channels: channels() });
});

const visit = async (channel: string, options: VisitOptions = {}): Promise<RawVisitor> =>
  rig.owns(await RawVisitor.greet(mooring.address, channel, options));
const greeted = async (channel: string, options: VisitOptions = {}) =>
  (await (await visit(channel, options)).first("welcome", "error")).type;

describe("given web channels with different access", () => {
  proves(
    ["channels.*(web).adapter", "channels.*(web).allowedOrigins"],
    "when another site opens a socket, then only the channel that allows its origin accepts it",
    async () => {
      const origin = "https://shop.example";
      expect(await RawVisitor.connect(mooring.address, "plain", { origin })).toBe(403);
      expect(await greeted("shop", { origin })).toBe("welcome");
    },
  );

  proves(
    ["channels.*(web).voiceInput"],
    "when visitors connect, then only the channel that allows voice input offers it",
    async () => {
      expect(await (await visit("spoken")).first("welcome")).toMatchObject({ voice: true });
      expect(await (await visit("plain")).first("welcome")).not.toHaveProperty("voice");
    },
  );

  proves(
    ["channels.*(web).identityKey"],
    "when a page signs the identity of its visitor, then only a channel with its key accepts it",
    async () => {
      expect((await (await visit("known", { token: visitorToken("ada") })).first("welcome")).conversation).toBe("ada");
      expect(await greeted("known", { token: visitorToken("ada", "another-key-0123456789-0123456789") })).toBe("error");
      expect(await greeted("plain", { token: visitorToken("ada") })).toBe("error");
    },
  );

  proves(
    ["channels.*(web).access.accounts", "channels.*(web).access.messagesPerMinute"],
    "when people write, then each channel accepts the messages that its access rules admit",
    async () => {
      const said = async (channel: string, account: string, times = 1) => {
        const visitor = await visit(channel, { token: visitorToken(account) });
        for (let before = 1; before < times; before++) await visitor.say("hello");
        return visitor.say("hello");
      };
      expect(await said("ada-only", "ada")).toBe("accepted");
      expect(await said("ada-only", "bob")).toBe("refused");
      expect(await said("known", "bob", 2)).toBe("accepted");
      expect(await said("once-a-minute", "bob", 2)).toBe("rate-limited");
    },
  );
});

describe("given web channels with different retention", () => {
  proves(
    [
      "channels.*(web).signingKey",
      "channels.*(web).previousSigningKey",
      "channels.*(web).previousIdentityKey",
      "channels.*(web).retentionDays",
      "channels.*(web).fileDays",
    ],
    "when it starts two days later, then visitors return where the key is the same, and longer retention keeps their messages",
    async () => {
      const leave = async (channel: string) => {
        const visitor = await visit(channel);
        const token = await visitor.token();
        const upload = await fetch(`${mooring.address}/channels/${channel}/files?name=a.txt`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "text/plain" },
          body: "a file",
        });
        const file = ((await upload.json()) as { id: string }).id;
        await visitor.say("hello", [{ id: file }]);
        await visitor.first("reply");
        return { channel, token, file };
      };
      const left = { short: await leave("one-day"), long: await leave("three-days") };
      const tokens = {
        signed: await (await visit("signed")).token(),
        alike: await (await visit("signed-alike")).token(),
        rotated: await (await visit("rotated")).token(),
      };
      await mooring.end();
      mooring = await rig.start({ channels: channels(OTHER_KEY) }, { folder: mooring.folder, aheadMs: 2 * DAY_MS });

      expect(await greeted("signed", { token: tokens.signed })).toBe("error");
      expect(await greeted("signed-alike", { token: tokens.alike })).toBe("welcome");
      const renewed = await visit("rotated", { token: tokens.rotated });
      expect((await renewed.first("welcome", "error")).type).toBe("welcome");
      expect(await renewed.token(), "the welcome has a token of the new key").not.toBe(tokens.rotated);
      expect(await greeted("rotated", { token: visitorToken("ada", KEY) })).toBe("welcome");
      expect(await greeted("rotated", { token: visitorToken("ada", OTHER_KEY) })).toBe("welcome");
      expect(await greeted("known", { token: visitorToken("ada", KEY) }), "a channel without that key").toBe("error");
      const found = async ({ channel, token, file }: typeof left.short) => {
        const visitor = await visit(channel, { token });
        await visitor.first("welcome");
        visitor.send({ type: "history", before: 100, limit: 10 });
        const { items } = await visitor.first("history");
        const download = await fetch(`${mooring.address}/channels/${channel}/files?id=${file}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        return { items: (items as unknown[]).length, file: download.status };
      };
      expect(await found(left.short)).toEqual({ items: 0, file: 404 });
      expect(await found(left.long)).toEqual({ items: 2, file: 200 });
    },
  );
});
