import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock as clock } from "../../../core/contract/ports/clock.ts";
import { Secret } from "../../../core/contract/secret.ts";
import { LANGUAGES } from "../../../core/contract/texts/texts.ts";
import { createModerator } from "../../../gateway/moderation/create-moderator.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { RecordingMeter } from "../../fakes/recording-meter.ts";
import { freePort } from "../../setup/free-port.ts";

const text = {
  kind: "message",
  id: "t-1/message",
  tenant: "default",
  agent: "mooring",
  channel: "web",
  conversation: "private",
  account: "ann",
  text: "hello",
} as const;
const rules = { messages: true, answers: true, timeoutMs: 60_000, onFailure: "refuse" } as const;

let server: Server;
let handle: (request: IncomingMessage, response: ServerResponse, body: string) => void;
let folder: string;
const seen: { headers: IncomingMessage["headers"]; body: string }[] = [];
beforeEach(async () => {
  seen.length = 0;
  folder = await mkdtemp(join(tmpdir(), "mooring-moderation-"));
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    seen.push({ headers: request.headers, body });
    handle(request, response, body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const reacts = (how: typeof handle) => {
  handle = how;
};
const answers = (status: number, body: string, headers = {}) => {
  handle = (_request, response) => response.writeHead(status, headers).end(body);
};
const deps = () => ({ clock, logger: new RecordingLogger(), meter: new RecordingMeter() });
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/check`;
const checkAt = async (more: Partial<NonNullable<Parameters<typeof createModerator>[0]>> = {}) =>
  (await createModerator({ ...rules, url: address(), ...more }, deps()))?.check(text);

describe("given a German person, when the hook refuses or fails", () => {
  it("then they read it in German, with the operator's own reason as it is", async () => {
    const { de } = LANGUAGES;
    const moderator = await createModerator({ ...rules, url: address() }, deps());
    answers(200, JSON.stringify({ allow: false, reason: "No weapons here." }));
    const refused = await moderator?.check(text, de);
    expect(refused).toEqual({ allowed: false, text: `${de.moderation.refused.message} No weapons here.` });
    answers(500, "");
    const unchecked = await moderator?.check({ ...text, kind: "answer" }, de);
    expect(unchecked).toEqual({ allowed: false, text: de.moderation.unchecked.answer });
    expect(seen.map(({ body }) => Object.keys(JSON.parse(body)).sort())).toEqual([
      Object.keys(text).sort(),
      Object.keys(text).sort(),
    ]);
  });
});

describe("given a moderation hook at an address on loopback", () => {
  it("when it allows a text, then it has received the text once, with an idempotency key and the token", async () => {
    answers(200, '{"allow":true,"more":1}');
    expect(await checkAt({ token: new Secret("the-token") })).toEqual({ allowed: true });
    expect(seen.map(({ body }) => JSON.parse(body))).toEqual([text]);
    expect(seen[0]?.headers).toMatchObject({ "idempotency-key": "t-1/message", authorization: "Bearer the-token" });
  });

  it("when it refuses a text, then the person sees that, with its reason if it gives one", async () => {
    answers(200, '{"allow":false}');
    expect(await checkAt()).toEqual({ allowed: false, text: "I may not answer this message." });
    answers(200, '{"allow":false,"reason":"No weapons."}');
    expect(await checkAt()).toEqual({ allowed: false, text: "I may not answer this message. No weapons." });
  });

  it.each<[string, () => void]>([
    ["an error", () => answers(500, '{"allow":true}')],
    ["another success status", () => answers(204, "")],
    ["a redirect", () => answers(302, "", { location: "/elsewhere" })],
    ["no JSON", () => answers(200, "allow")],
    ["no decision", () => answers(200, "{}")],
    ["a decision of another type", () => answers(200, '{"allow":"yes"}')],
    ["a reason that is too long", () => answers(200, JSON.stringify({ allow: false, reason: "x".repeat(1_001) }))],
    ["too many bytes", () => answers(200, JSON.stringify({ allow: true, more: "x".repeat(70_000) }))],
    ["a cut connection", () => reacts((request) => request.socket.destroy())],
  ])("when it answers with %s, then the check has failed, and onFailure decides", async (_, prepare) => {
    prepare();
    expect(await checkAt()).toEqual({ allowed: false, text: expect.stringContaining("could not check this message") });
    expect(await checkAt({ onFailure: "allow" })).toEqual({ allowed: true });
  });

  it("when it does not answer in time, then the check has failed", async () => {
    reacts(() => undefined);
    expect(await checkAt({ timeoutMs: 100 })).toMatchObject({ allowed: false });
    expect(await checkAt({ timeoutMs: 100, onFailure: "allow" })).toEqual({ allowed: true });
  });

  it("when nothing listens there, then the check has failed", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await checkAt({ url })).toMatchObject({ allowed: false });
  });
});

describe("given a moderation module", () => {
  const module = async (source: string) => {
    const file = join(folder, "moderation.mjs");
    await writeFile(file, source);
    return file;
  };
  const checkBy = async (source: string) => {
    const timeoutMs = source.includes("new Promise") ? 100 : rules.timeoutMs;
    const moderator = await createModerator({ ...rules, timeoutMs, module: await module(source) }, deps());
    return moderator?.check(text);
  };

  it.each([
    ["export default async ({ text }) => ({ allow: text === 'hello' });", { allowed: true }],
    [
      "export default () => ({ allow: false, reason: 'No.' });",
      { allowed: false, text: expect.stringMatching(/No\.$/) },
    ],
    ["export default () => { throw new Error('broken'); };", { allowed: false, text: expect.any(String) }],
    ["export default () => new Promise(() => {});", { allowed: false, text: expect.any(String) }],
    ["export default () => undefined;", { allowed: false, text: expect.any(String) }],
  ])("when it is %s, then its decision or failure counts", async (source, verdict) => {
    expect(await checkBy(source)).toEqual(verdict);
  });

  it.each(["export const check = 1;", "export default 7;", "this is no module"])(
    "when it is %s, then the start fails and names the setting",
    async (source) => {
      await expect(checkBy(source)).rejects.toMatchObject({
        code: "bad-configuration",
        message: expect.stringContaining("moderation.module"),
      });
    },
  );

  it("when it never finishes loading, then the start fails after ten seconds and says so", async () => {
    const held = new ManualClock();
    const file = await module("await new Promise(() => {}); export default () => ({ allow: true });");
    const made = createModerator({ ...rules, module: file }, { ...deps(), clock: held });
    held.advance(10_000);
    await expect(made).rejects.toMatchObject({
      code: "bad-configuration",
      message: expect.stringContaining("did not load within 10 s"),
    });
  });
});
