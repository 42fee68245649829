import { describe, expect, it } from "vitest";
import { AppError } from "../../../core/contract/app-error.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { LANGUAGES } from "../../../core/contract/texts/texts.ts";
import type { FakeInteraction } from "../../fakes/discord/fake-interactions.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { commandIn } from "../../fakes/sample-message.ts";
import { sampleReply } from "../../fakes/sample-reply.ts";
import { DiscordUnderTest } from "./discord-under-test.ts";

const { de, es } = LANGUAGES;
const test = new DiscordUnderTest();
const until = (interaction: FakeInteraction, is: (interaction: FakeInteraction) => boolean) =>
  test.discord.interactions.changes.until(() => is(interaction));
const acknowledged = (interaction: FakeInteraction) =>
  until(interaction, ({ acknowledgedAt }) => acknowledgedAt !== undefined);
/** The reply of core to a command. */
const answerTo = (interaction: FakeInteraction, target: Conversation, markdown: string) => {
  const correlationId = `discord:interaction:${interaction.id}`;
  const reply = sampleReply(`reply-${interaction.id}`, target, markdown, { kind: "notice", correlationId });
  return sampleDelivery(reply.id, target, markdown, { reply });
};

describe("given slash commands (I3)", () => {
  it("when the adapter starts, then they are registered, and later only if they have changed", async () => {
    const written = () => test.discord.rest.calls.items.filter(({ method }) => method === "PUT");
    const read = () =>
      test.discord.rest.calls.items.filter(({ method, path }) => method === "GET" && path.endsWith("/commands"));
    await test.start();
    await test.discord.rest.calls.until(() => written().length === 1);
    const names = ((written()[0]?.body ?? []) as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(
      "approve budget cancel help inbox language link memory new quiet report schedules status timezone unlink why".split(
        " ",
      ),
    );
    await test.adapter.stop();
    await test.startAgain();
    await test.discord.rest.calls.until(() => read().length === 2);
    await test.adapter.stop();
    expect(written()).toHaveLength(1);
    test.discord.registeredCommands = [];
    await test.startAgain();
    await test.discord.rest.calls.until(() => written().length === 2);
  });

  it("when they are registered, then Discord has their descriptions in German and Spanish too", async () => {
    await test.start();
    const written = () => test.discord.rest.calls.items.filter(({ method }) => method === "PUT");
    await test.discord.rest.calls.until(() => written().length === 1);
    const commands = written()[0]?.body as { name: string }[];
    expect(commands.find(({ name }) => name === "cancel")).toMatchObject({
      description: "Cancel running work",
      description_localizations: {
        de: de.menu.cancel.menu,
        "es-ES": es.menu.cancel.menu,
        "es-419": es.menu.cancel.menu,
      },
      options: [{ description_localizations: { de: de.menu.cancel.argument, "es-ES": es.menu.cancel.argument } }],
    });
  });

  it("when a German person's command cannot be stored, then the reason is German", async () => {
    await test.start();
    test.discord.interactions.locale = "de";
    test.inbox.refuseNext(new AppError("unavailable", "the store is away"));
    const interaction = test.discord.command("ann", test.room, "cancel");
    await acknowledged(interaction);
    expect(interaction).toMatchObject({ answers: [{ content: de.intake.tryAgain }] });
  });

  it("when they cannot be registered, then the channel still works", async () => {
    test.discord.rest.faultIn = ({ path }) => (path.endsWith("/commands") ? "unavailable" : undefined);
    await test.start();
    await test.logger.lines.until((lines) => lines.some(({ message }) => message.includes("slash commands")));
    await test.receivedInPrivate("hello");
  });

  it("when one is used in private, then it is stored, acknowledged and answered in place", async () => {
    await test.start();
    const interaction = test.discord.command("ann", test.dm, "cancel", "subtask-1a2b3c4d");
    const [message] = await test.inbox.accepted.count(1);
    expect(message).toMatchObject({
      id: `discord:interaction:${interaction.id}`,
      command: { name: "cancel", args: "subtask-1a2b3c4d" },
      conversation: test.inPrivate,
      account: { id: test.discord.world.person("ann").id, locale: "en-GB" },
    });
    await acknowledged(interaction);
    expect(interaction).toMatchObject({ thinking: true, ephemeral: false });
    const receipt = await test.adapter.deliver(answerTo(interaction, test.inPrivate, "cancelled"));
    expect(interaction).toMatchObject({ thinking: false, answers: [{ id: receipt.messageId, content: "cancelled" }] });
    expect(test.discord.posted).toEqual([]);
  });

  it.each([
    ["status", true],
    ["why", true],
    ["inbox", true],
    ["link", true],
    ["new", false],
  ])("when %s is used in a server, then an ephemeral answer is %s", async (name, ephemeral) => {
    await test.start();
    const interaction = test.discord.command("ann", test.room, name);
    await acknowledged(interaction);
    expect(interaction.ephemeral).toBe(ephemeral);
    const [message] = await test.inbox.accepted.count(1);
    expect(message?.conversation).toEqual(test.inRoom);
  });

  it("when the answer is ephemeral, then only the caller sees it", async () => {
    await test.start();
    const interaction = test.discord.command("ann", test.room, "status");
    await acknowledged(interaction);
    const delivery = answerTo(interaction, test.inRoom, "all is quiet");
    await test.adapter.deliverOnlyTo(test.discord.world.person("ann").id, delivery);
    expect(interaction).toMatchObject({ ephemeral: true, thinking: false, answers: [{ content: "all is quiet" }] });
    expect(test.discord.posted).toEqual([]);
  });

  it("when a long ephemeral answer is interrupted, then the retry skips the messages already sent", async () => {
    await test.start();
    const interaction = test.discord.command("ann", test.room, "status");
    await acknowledged(interaction);
    const words = Array.from({ length: 700 }, (_, index) => `word${index}`);
    const delivery = answerTo(interaction, test.inRoom, words.join(" "));
    const ann = test.discord.world.person("ann").id;
    let posts = 0;
    test.discord.rest.faultIn = ({ method, path }) =>
      method === "POST" && path.startsWith("/webhooks/") && ++posts === 2 ? "rate-limited" : undefined;
    await expect(test.adapter.deliverOnlyTo(ann, delivery)).rejects.toMatchObject({ reason: "rate-limited" });
    test.discord.rest.recover();
    await test.adapter.deliverOnlyTo(ann, delivery);
    const seen = interaction.answers.map(({ content }) => content).join(" ");
    expect(interaction.answers.length).toBeGreaterThan(3);
    expect(seen.match(/word\d+/g)).toEqual(words);
  });

  it("when an answer cannot be ephemeral, then it is not shown, and the thinking message is removed", async () => {
    await test.start();
    const interaction = test.discord.command("ann", test.room, "new");
    await acknowledged(interaction);
    const ann = test.discord.world.person("ann").id;
    const deliver = test.adapter.deliverOnlyTo(ann, answerTo(interaction, test.inRoom, "secret"));
    await expect(deliver).rejects.toMatchObject({ reason: "rejected" });
    expect(interaction).toMatchObject({ thinking: false, answers: [] });
    const bob = test.discord.command("bob", test.room, "status");
    await acknowledged(bob);
    await expect(test.adapter.deliverOnlyTo(ann, answerTo(bob, test.inRoom, "secret"))).rejects.toMatchObject({
      reason: "rejected",
    });
    expect(bob.answers).toEqual([]);
  });

  it("when its answer goes to the caller's private channel, then the room does not see it", async () => {
    await test.start();
    const interaction = test.discord.command("ann", test.room, "new");
    await acknowledged(interaction);
    await test.adapter.deliver(answerTo(interaction, test.inPrivate, "for you alone"));
    expect(interaction.answers).toEqual([]);
    expect(test.discord.posted).toMatchObject([{ channel_id: test.dm.id, content: "for you alone" }]);
  });

  it("when the process crashes before the answer, then the next one still answers in place", async () => {
    await test.start();
    const interaction = test.discord.command("ann", test.dm, "help");
    await acknowledged(interaction);
    await test.crash();
    await test.startAgain();
    await test.adapter.deliver(answerTo(interaction, test.inPrivate, "help yourself"));
    expect(interaction.answers).toMatchObject([{ content: "help yourself" }]);
  });

  it("when the time limit has passed, then the answer is a normal message", async () => {
    await test.start();
    const interaction = test.discord.command("ann", test.dm, "help");
    await acknowledged(interaction);
    test.discord.interactions.expire(interaction);
    await test.adapter.deliver(answerTo(interaction, test.inPrivate, "help yourself"));
    expect(test.discord.posted).toMatchObject([{ content: "help yourself" }]);
  });

  it("when the argument is the link of a message, then it becomes the id", async () => {
    await test.start();
    test.discord.command("ann", test.dm, "why", `https://discord.com/channels/@me/${test.dm.id}/123456789012345678`);
    const [message] = await test.inbox.accepted.count(1);
    expect(commandIn(message)).toEqual({ name: "why", args: "123456789012345678" });
  });
});

describe("given the acknowledgement limit of three seconds", () => {
  it("when storing takes longer, then the interaction is still acknowledged", async () => {
    await test.start({ timing: { acknowledgeWithinMs: 30 } });
    const store = test.inbox.holdNext();
    const interaction = test.discord.command("ann", test.dm, "help");
    await acknowledged(interaction);
    expect(interaction.thinking).toBe(true);
    expect(test.inbox.accepted.items).toEqual([]);
    store();
    await test.inbox.accepted.count(1);
  });

  it("when it can be stored in time, then it is stored first", async () => {
    await test.start({ timing: { acknowledgeWithinMs: 60_000 } });
    const store = test.inbox.holdNext();
    const interaction = test.discord.command("ann", test.dm, "help");
    await test.inbox.offered.count(1);
    expect(interaction.acknowledgedAt).toBeUndefined();
    store();
    await acknowledged(interaction);
  });

  it("when it cannot be stored, then only the person sees the reason", async () => {
    await test.start();
    test.inbox.refuseNext(new AppError("unavailable", "the store is away"));
    const interaction = test.discord.command("ann", test.room, "help");
    await acknowledged(interaction);
    expect(interaction).toMatchObject({
      ephemeral: true,
      answers: [{ content: expect.stringMatching(/Please try again/) }],
    });
  });

  it("when storing fails after the acknowledgement, then the reason replaces the answer", async () => {
    await test.start({ timing: { acknowledgeWithinMs: 0 } });
    test.inbox.refuseNext(new AppError("rate-limited", "wait a little"));
    const interaction = test.discord.command("ann", test.room, "help");
    await until(interaction, ({ answers }) => answers.length > 0);
    expect(interaction.answers).toMatchObject([{ content: "wait a little" }]);
  });

  it("when the server is not configured in access, then the person gets that reason", async () => {
    const elsewhere = test.discord.world.addRoom(test.discord.world.addGuild("another"));
    await test.start({ access: { guilds: [test.guild.id] } });
    const interaction = test.discord.command("ann", elsewhere, "help");
    await acknowledged(interaction);
    expect(interaction).toMatchObject({
      ephemeral: true,
      answers: [{ content: expect.stringMatching(/ask its operator/) }],
    });
    expect(test.inbox.offered.items).toEqual([]);
  });

  it.each([
    ["of a new type", { type: 9 }],
    ["without data", { type: 2 }],
    ["of another app's button", { type: 3, data: { custom_id: "other" }, message: { id: "123456789012345678" } }],
  ])("when one is unreadable (%s), then it is still answered", async (_, what) => {
    await test.start();
    const { interactions, world } = test.discord;
    const interaction = interactions.make(world.person("ann"), test.dm, what);
    await acknowledged(interaction);
    expect(interaction.answers).toHaveLength(1);
    await test.receivedInPrivate("still here");
  });

  it("when the answer is faster than the acknowledgement, then it waits for it", async () => {
    await test.start();
    test.discord.rest.faultIn = ({ path }) => (path.endsWith("/callback") ? "hanging" : undefined);
    const interaction = test.discord.command("ann", test.dm, "help");
    await test.inbox.accepted.count(1);
    await test.discord.rest.calls.until((calls) => calls.some(({ path }) => path.endsWith("/callback")));
    const delivering = test.adapter.deliver(answerTo(interaction, test.inPrivate, "quick"));
    test.discord.rest.recover();
    await delivering;
    expect(interaction.answers).toMatchObject([{ content: "quick" }]);
    expect(test.discord.posted).toEqual([]);
  });
});

describe("given buttons", () => {
  it("when one is pressed, then its command arrives, about its message, in order with other messages", async () => {
    await test.start();
    const actions = [{ name: "why", label: "Why?", value: "turn-1/final" }];
    const reply = sampleReply("r1", test.inRoom, "result", { actions });
    await test.adapter.deliver(sampleDelivery("r1", test.inRoom, "result", { reply }));
    const [post] = await test.discord.untilPosted(1);
    if (post === undefined) throw new Error("nothing was posted");
    test.discord.say({ person: "bob", in: test.room, text: "first", mention: true });
    const interaction = test.discord.press("ann", post, "Why?");
    const messages = await test.inbox.accepted.count(2);
    expect(messages.map(commandIn)).toEqual([undefined, { name: "why", args: "turn-1/final" }]);
    expect(messages[1]).toMatchObject({ replyTo: post.id, conversation: test.inRoom });
    await acknowledged(interaction);
    expect(interaction.ephemeral).toBe(true);
  });
});
