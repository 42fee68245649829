import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { parseConfig } from "../../config/parse-config.ts";
import { systemClock } from "../../core/contract/ports/clock.ts";
import { type Running, runMooring } from "../../gateway/run-mooring.ts";
import { calls, Gate, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { RecordingLogger } from "../fakes/recording-logger.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import type { Post } from "../fakes/teams/connector-api.ts";
import { FakeTeams } from "../fakes/teams/fake-teams.ts";
import { teamsFaults } from "../fakes/teams/fault.ts";
import type { TeamsConversationType } from "../fakes/teams/sent-activity.ts";
import { CHANNEL_ROOM, messageBy, objectIdOf } from "../fakes/teams/sent-activity.ts";
import { plainConfig } from "./deployment.ts";

const textOf = ({ activity }: Post) => (activity.text ?? "").replace(/<[^>]*>/g, " ");
const cardsOf = ({ activity }: Post) => JSON.stringify(activity.attachments ?? []);
const buttonsOf = ({ activity }: Post) =>
  Buttons.parse(activity.attachments?.[0]?.content).body.flatMap(({ actions = [] }) => actions);
const Buttons = z.object({
  body: z.array(z.object({ actions: z.array(z.object({ title: z.string(), data: z.unknown() })).optional() })),
});
const saying = (posts: readonly Post[], words: string) => posts.filter((post) => textOf(post).includes(words));

/** Runs in this process, so that the egress guard covers it. */
describe.each(["embedded", "nats"])("given Mooring in Teams, on %s", (kind) => {
  let teams: FakeTeams;
  let branch: FakeTeams;
  let model: ScriptedModelServer;
  let nats: NatsServer | undefined;
  let folder: string;
  let mooring: Running;
  let logger: RecordingLogger;
  /** Holds the subtask. */
  let gate: Gate;

  const answer = ({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer => {
    if (toolNames.includes("complete_subtask")) return says([gate, "They have lights."]);
    if (lastUserText === "slowly") return says(["The tide is ", gate, "high at noon."]);
    if (lastUserText.startsWith("[")) return says("Here is all about lighthouses.");
    if (!lastUserText.includes("research")) return says(`You said: ${lastUserText}`);
    if (toolOutputs.length > 0) return says("I am on it.");
    return calls([{ name: "spawn_subtask", arguments: { name: "lighthouses", prompt: "lighthouses" } }]);
  };

  const start = async () => {
    const account = objectIdOf("ann");
    const config = plainConfig({
      backbone: nats ? { nats: { servers: [nats.url], leaseMs: 1_000, partitions: 4 } } : "embedded",
      dataDir: folder,
      agents: [
        {
          name: "mooring",
          model: { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted", apiKey: "none" },
        },
      ],
      channels: { teams: teams.config, branch: branch.config },
      people: [{ name: "Ann", accounts: { teams: account, branch: account } }],
    });
    mooring = await runMooring({
      config: parseConfig({ file: "mooring.yaml", text: JSON.stringify(config), env: {} }),
      roles: ["gateway", "core"],
      clock: systemClock,
      logger,
      newId: randomUUID,
      abortStart: new AbortController().signal,
    });
    teams.endpoint = `${mooring.url}/channels/teams/messages`;
    branch.endpoint = `${mooring.url}/channels/branch/messages`;
  };

  beforeEach(async () => {
    gate = new Gate();
    logger = new RecordingLogger();
    folder = await mkdtemp(join(tmpdir(), "mooring-teams-"));
    nats = kind === "nats" ? await NatsServer.start() : undefined;
    model = await ScriptedModelServer.start(answer);
    teams = await FakeTeams.start();
    branch = await FakeTeams.start();
    await start();
  });
  afterEach(async () => {
    gate.release();
    await mooring.stop();
    await Promise.all([nats?.stop(), model.stop(), teams.stop(), branch.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  it("when a person writes in private or in a thread, then there is one answer, also after redeliveries", async () => {
    expect(await teams.say({ text: "tides?", id: "17" })).toBe(200);
    expect(await teams.say({ text: "tides?", id: "17" })).toBe(200);
    expect(await teams.say({ text: "tides?", conversationType: "channel", id: "18" })).toBe(200);
    expect(await teams.say({ text: "knots?", id: "19" })).toBe(200);
    const thread = `${CHANNEL_ROOM};messageid=18`;
    const isAnswered = (items: readonly Post[]) =>
      saying(items, "knots?").length > 0 && items.some(({ conversationId }) => conversationId === thread);
    const posts = await teams.api.posts.until(isAnswered);
    // A second answer to the first message would come before the one to the last.
    const inPrivate = posts.filter(({ conversationId }) => conversationId === "a:chat-with-ann");
    expect(inPrivate.map((post) => textOf(post).trim())).toEqual(["You said: tides?", "You said: knots?"]);
    expect(posts).toHaveLength(3);
  });

  it("when an answer takes a while, then people see a draft and then the complete answer, in one message (D8)", async () => {
    await teams.say({ text: "slowly" });
    const [beginning] = await teams.api.posts.count(1);
    expect(textOf(beginning as Post).trim()).toBe("The tide is …");
    gate.release();
    const edits = await teams.api.edits.until((items) => saying(items, "high at noon.").length > 0);
    expect(edits.at(-1)).toMatchObject({ id: beginning?.id, conversationId: "a:chat-with-ann" });
    await teams.say({ text: "knots?" });
    const posts = await teams.api.posts.until((items) => saying(items, "knots?").length > 0);
    expect(posts.map((post) => textOf(post).trim())).toEqual(["The tide is high at noon.", "You said: knots?"]);
  });

  it("when a forged request arrives in Teams' name, then it is refused", async () => {
    const forged = messageBy(teams, { text: "psst" }, "17");
    expect(await teams.send(forged, { forged: true })).toBe(401);
    expect(await branch.send(forged)).toBe(401);
    expect(await teams.send("x".repeat(300_000))).toBe(413);
    await teams.say({ text: "knots?", id: "18" });
    const posts = await teams.api.posts.count(1);
    expect(posts.map(textOf).join()).toContain("knots?");
    expect(model.requests.map(({ lastUserText }) => lastUserText).join()).not.toContain("psst");
  });

  it("when Teams refuses an answer, then it is listed with the state of the conversation, and others are delivered", async () => {
    await teams.say({ text: "tides?" });
    await teams.api.posts.count(1);
    teams.fault = teamsFaults.blocked;
    await teams.say({ text: "knots?" });
    const lines = await logger.lines.until((all) => all.some(({ message }) => message === "dead letter stored"));
    const [dead] = lines.filter(({ message }) => message === "dead letter stored");
    expect(dead?.fields.reason).toMatch(/^forbidden: blocked: the person has blocked the app/);
    teams.recover();
    await teams.say({ text: "ropes?" });
    expect(textOf((await teams.api.posts.count(2))[1] as Post)).toContain("ropes?");
  });

  it("when Teams refuses answers, then inbox explains each in plain words, and each can be sent again (D6)", async () => {
    const refused = { personal: "blocked", groupChat: "disabled", channel: "removed" } as const;
    for (const [index, [conversationType, state]] of Object.entries(refused).entries()) {
      teams.fault = teamsFaults[state];
      await teams.say({ text: `${state}?`, conversationType: conversationType as TeamsConversationType });
      await logger.lines.until((all) => all.filter(({ message }) => message === "dead letter stored").length > index);
      // Any message from the private chat makes another attempt worthwhile.
      await teams.install("add");
    }
    teams.recover();
    await teams.say({ text: "/inbox" });
    const [page] = saying(await teams.api.posts.count(1), "may not have reached you") as [Post];
    for (const state of Object.values(refused)) expect(textOf(page)).toContain(`(${state}: `);
    const buttons = buttonsOf(page);
    expect(buttons.map(({ title }) => title)).toEqual(
      [1, 2, 3].flatMap((n) => [`Read ${n}`, `Send ${n} again`, `Dismiss ${n}`]),
    );
    for (const { title, data } of buttons) if (title.endsWith("again")) await teams.say({ more: { value: data } });
    const answers = (items: readonly Post[]) =>
      items.map((post) => textOf(post).trim()).filter((text) => /You said: [^”]*\?$/.test(text));
    const sent = answers(await teams.api.posts.until((items) => answers(items).length === 3));
    expect(sent.map((text) => /(\w+)\?$/.exec(text)?.[1]).sort()).toEqual(Object.values(refused));
  });

  it("when work ends in another session, then its answer survives a restart, and has an anchor (O8, D5)", async () => {
    await teams.say({ text: "research lighthouses" });
    await teams.api.posts.until((items) => saying(items, "I am on it.").length > 0);
    await teams.say({ text: "/new" });
    await teams.api.posts.until((items) => saying(items, "new session").length > 0);
    // Teams is down when the work ends, so that the answer waits for it across the restart.
    teams.fault = teamsFaults.unavailable;
    gate.release();
    await logger.lines.until((all) => all.some(({ message }) => message === "delivery failed, retrying"));
    await mooring.stop();
    await start();
    teams.recover();
    const posts = await teams.api.posts.until((items) => saying(items, "all about lighthouses").length > 0);
    const [last] = saying(posts, "all about lighthouses") as [Post];
    expect(last.conversationId).toBe("a:chat-with-ann");
    expect(cardsOf(last)).toMatch(/↳ Re: .*research lighthouses.*\{\{DATE\(.*from Teams/);
    expect(cardsOf(last)).toContain('"command":"why"');
  });

  it("when a person has another private conversation, then it shows the answer too, with an anchor (D2, O8)", async () => {
    await branch.say({ text: "hello" });
    await branch.api.posts.count(1);
    await teams.say({ text: "research lighthouses" });
    await teams.api.posts.until((items) => saying(items, "I am on it.").length > 0);
    gate.release();
    const [, there] = (await branch.api.posts.count(2)) as [Post, Post];
    expect(textOf(there)).toContain("all about lighthouses");
    expect(cardsOf(there)).toMatch(/↳ Re: .*research lighthouses.*from Teams/);
    const posts = await teams.api.posts.until((items) => saying(items, "all about lighthouses").length > 0);
    expect(cardsOf(saying(posts, "all about lighthouses")[0] as Post)).not.toContain("↳ Re:");
  });
});
