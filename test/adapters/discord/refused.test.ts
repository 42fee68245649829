import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEmbeddedBackbone } from "../../../core/backbone/embedded/open-embedded-backbone.ts";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { type Conversation, conversationKey } from "../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { systemClock as clock } from "../../../core/contract/ports/clock.ts";
import { silentLogger as logger } from "../../../core/contract/ports/logger.ts";
import { silentMeter as meter } from "../../../core/contract/ports/telemetry.ts";
import { accountKey, type PersonRecord, personKey } from "../../../core/people/person-record.ts";
import { startCore } from "../../../core/start-core.ts";
import { relayContext } from "../../../gateway/channel-contexts.ts";
import { runChannel } from "../../../gateway/relay/run-channel.ts";
import { FakeDiscord } from "../../fakes/discord/fake-discord.ts";
import type { FakeChannel } from "../../fakes/discord/world.ts";
import { LogChannel } from "../../fakes/log-channel.ts";
import { sampleReply } from "../../fakes/sample-reply.ts";
import { ScriptedModel } from "../../fakes/scripted-model.ts";
import { makeDiscordAdapter } from "./make-discord-adapter.ts";

const agentRef = { tenant: "default", agent: "mooring" };
const SINCE = "2026-01-01T00:00:00.000Z";
const inWidget: Conversation = { channel: "web", room: "of-ann", kind: "private" };

let discord: FakeDiscord;
let backbone: Backbone;
let web: LogChannel;
let annId: string;
let dm: FakeChannel;
const closers: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  discord = await FakeDiscord.start();
  const ann = discord.world.person("ann");
  annId = ann.id;
  dm = discord.world.privateChannel(ann);
  web = new LogChannel("web");
  const dataDir = await mkdtemp(join(tmpdir(), "mooring-refused-"));
  backbone = await openEmbeddedBackbone({ dataDir, logger, failurePauseMs: 2 });
  const agents = [{ ...agentRef, name: "mooring", model: new ScriptedModel(() => "hello") }];
  const core = await startCore({ backbone, agents, clock, logger, meter, stopGraceMs: 50 });
  const { store } = backbone;
  const running = await Promise.all(
    [web, makeDiscordAdapter(discord, { store })].map((adapter) => {
      const parts = {
        ...agentRef,
        channel: adapter.channel,
        publicUrl: "http://localhost",
        backbone,
        clock,
        logger,
        meter,
      };
      return runChannel(relayContext({ ...parts, newId: () => "id" }), adapter, "gateway");
    }),
  );
  closers.push(
    () => rm(dataDir, { recursive: true, force: true }),
    () => discord.stop(),
    () => backbone.close(),
    () => Promise.all([core.stop(), ...running.map((channel) => channel.stop())]),
  );
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const inDiscord = (): Conversation => ({ channel: "discord", room: dm.id, kind: "private" });
/** One person on Discord and in the widget, last seen on Discord. */
const isOnePerson = async (rest: Partial<PersonRecord>) => {
  const ids = { web: "ann", discord: annId };
  const accounts = Object.entries(ids).map(([channel, accountId]) => ({
    channel,
    accountId,
    name: "Ann",
    since: SINCE,
    joined: 0,
  }));
  const surface = { agent: "mooring", since: SINCE };
  const surfaces = [
    { ...surface, conversation: inWidget, channel: "web", accountId: "ann" },
    { ...surface, conversation: inDiscord(), channel: "discord", accountId: annId },
  ];
  const lastActive = conversationKey(inDiscord());
  const person = { id: "p", tenant: "default", membership: 1, accounts, surfaces, lastActive, ...rest };
  await backbone.store.put(personKey("default", "p"), person);
  for (const { channel, accountId } of accounts) {
    await backbone.store.put(accountKey({ tenant: "default", channel, accountId }), { personId: "p" });
  }
};
const say = (conversation: Conversation, more: Partial<AgentReply> = {}) => {
  const audience = { conversation, personId: "p", accountId: annId, membership: 1 };
  const createdAt = new Date().toISOString();
  const reply = sampleReply("r1", conversation, "the result", { audience, createdAt, ...more });
  const options = { id: reply.id, key: conversationKey(conversation) };
  return backbone.bus.publish(subjectsOf("default").userResponse("mooring"), reply, options);
};
const refusals = () =>
  discord.rest.calls.items.filter(({ method, path }) => method === "POST" && path.endsWith("/messages"));
let asked = 0;
/** Polls her inbox, which lists a dead letter shortly after the refusal. */
const inboxIn = async (conversation: Conversation): Promise<string> => {
  for (;;) {
    const id = `m-${++asked}`;
    const said = {
      id,
      ...agentRef,
      conversation,
      text: "",
      attachments: [],
      sentAt: new Date().toISOString(),
      traceId: id,
    };
    const account = { id: "ann", name: "Ann" };
    await web.inbox?.accept({ ...said, kind: "command", account, command: { name: "inbox", args: "" } });
    const all = await web.deliveries.until((items) => items.some(({ reply }) => reply.correlationId === id));
    const markdown = all.find(({ reply }) => reply.correlationId === id)?.reply.markdown ?? "";
    if (!markdown.includes("is empty")) return markdown;
  }
};

describe("given a person who does not accept direct messages of the bot, and a proactive message (D2, D6)", () => {
  it("when it goes to the conversation that was active last, then it falls back to the one before, with its anchor", async () => {
    await isOnePerson({ policy: { default: "last-active" } });
    dm.refuses = 50_007;
    await say(inDiscord());
    const [shown] = await web.deliveries.count(1);
    expect(shown).toMatchObject({
      target: inWidget,
      part: { markdown: "the result" },
      anchor: { summary: "deep research" },
    });
    expect(refusals()).toHaveLength(1);
  });

  it("when the person has no other conversation, then it is in the inbox, with the reason", async () => {
    await isOnePerson({ policy: { default: "origin" } });
    dm.refuses = 50_007;
    await say(inDiscord());
    await discord.rest.calls.until(() => refusals().length > 0);
    const inbox = await inboxIn(inWidget);
    expect(inbox).toContain("“the result”, for your private conversation on Discord");
    expect(inbox).toMatch(
      /I am not allowed to write there \(this person does not accept direct messages from the bot.*50007\)/,
    );
  });
});

describe("given a server that removes the bot while a person waits for an answer", () => {
  it("when the answer is ready, then only that person gets it, as a direct message", async () => {
    const guild = discord.world.addGuild("harbour");
    const lobby = discord.world.addRoom(guild);
    lobby.refuses = 50_001;
    const room: Conversation = { channel: "discord", workspace: guild.id, room: lobby.id, kind: "shared" };
    await say(room, { correlationId: "discord:1" });
    const [posted] = await discord.untilPosted(1);
    expect(posted).toMatchObject({ channel_id: dm.id, content: expect.stringContaining("the result") });
  });
});
