import { describe, expect, it } from "vitest";
import { AppError } from "../../../core/contract/app-error.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { commandIn } from "../../fakes/sample-message.ts";
import { runSlack } from "./running-slack.ts";

const BOT = "<@U0BOT>";
const MODES = ["http", "socket"] as const;

describe.each(MODES)("given Slack (%s)", (mode) => {
  it("when a person writes a direct message, then the conversation is private, and the answer is not in a thread", async () => {
    const { slack, accepted, adapter } = await runSlack(mode);
    const { conversation, text, link, account } = await accepted(slack.say({ text: "a &lt;b&gt; &amp; c" }));
    expect(conversation).toEqual({ channel: "main", workspace: "T0MOORING", room: "D0ANN", kind: "private" });
    expect(text).toBe("a <b> & c");
    expect(account).toEqual({ id: "U0ANN", name: "ann", timeZone: "Europe/Berlin", locale: "en-GB" });
    expect(link).toMatch(/^https:\/\/mooring\.slack\.com\/archives\/D0ANN\/p\d{16}$/);
    await adapter.deliver(sampleDelivery("r1", conversation, "yes"));
    expect(slack.posted[0]?.thread).toBeUndefined();
  });

  it("when a person mentions the app in a channel, then the answer is in the thread of that message", async () => {
    const { slack, accepted, adapter } = await runSlack(mode);
    const ts = slack.world.nextTs();
    const message = await accepted(slack.say({ room: "C0LOBBY", text: `${BOT} hello`, ts, as: "app_mention" }));
    expect(message).toMatchObject({ text: "hello", conversation: { room: "C0LOBBY", thread: ts, kind: "shared" } });
    await adapter.deliver(sampleDelivery("r1", message.conversation, "yes"));
    expect(slack.posted[0]).toMatchObject({ room: "C0LOBBY", thread: ts });
  });

  it("when a mention arrives as two events, with a retry, then all have the same message id", async () => {
    const { slack, inbox } = await runSlack(mode);
    const ts = slack.world.nextTs();
    const said = { room: "C0LOBBY", text: `${BOT} hello`, ts };
    await slack.say({ ...said, as: "app_mention" });
    await slack.say({ ...said, as: "message" });
    await slack.say({ ...said, as: "message", retry: { num: 1, reason: "http_timeout" } });
    const messages = await inbox.accepted.count(3);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(1);
    expect(new Set(messages.map(({ conversation }) => JSON.stringify(conversation))).size).toBe(1);
  });

  it("when a room message does not mention the app, then it is ignored, unless mentionOnly is false (I2)", async () => {
    const mentions = await runSlack(mode);
    expect(await mentions.slack.say({ room: "C0LOBBY", text: "just us" })).toMatchObject({ answer: "acknowledged" });
    expect(await mentions.slack.say({ room: "G0GROUP", text: "just us" })).toMatchObject({ answer: "acknowledged" });
    expect(mentions.inbox.offered.items).toEqual([]);
    const all = await runSlack(mode, { config: { access: { mentionOnly: false } } });
    const message = await all.accepted(all.slack.say({ room: "G0GROUP", text: "all of us" }));
    expect(message.conversation).toMatchObject({ room: "G0GROUP", kind: "shared" });
  });

  it("when a person writes in the thread of the app's message, then it answers that, without a mention (O14)", async () => {
    const { slack, accepted, adapter } = await runSlack(mode);
    const room = { channel: "main", workspace: "T0MOORING", room: "C0LOBBY", kind: "shared" } as const;
    const { messageId } = await adapter.deliver(sampleDelivery("r1", room, "the news"));
    const message = await accepted(slack.say({ room: "C0LOBBY", thread: messageId, text: "tell me more" }));
    expect(message).toMatchObject({ replyTo: messageId, conversation: { thread: messageId } });
  });

  it.each([
    ["an edit", { subtype: "message_changed", message: { text: "x" } }],
    ["a deletion", { subtype: "message_deleted", hidden: true }],
    ["a mention that an edit has added", { edited: { user: "U0ANN", ts: "1.000001" } }],
    ["a join", { subtype: "channel_join" }],
    ["another bot", { bot_id: "B0OTHER", subtype: "bot_message" }],
    ["another bot with a user", { bot_id: "B0OTHER" }],
    ["the app itself", { user: "U0BOT" }],
    ["Slackbot", { user: "USLACKBOT" }],
    ["an event without a user", { user: undefined }],
  ])("when it is %s, then it is acknowledged and ignored (F13)", async (_, more) => {
    const { slack, inbox } = await runSlack(mode);
    expect(await slack.say({ text: `${BOT} hello`, more })).toMatchObject({ answer: "acknowledged" });
    expect(inbox.offered.items).toEqual([]);
  });

  it("when a person attaches files, then the message refers to them, and the adapter can fetch them", async () => {
    const { slack, accepted, adapter } = await runSlack(mode);
    const content = Buffer.from([1, 2, 3, 4]);
    slack.world.files.set("F1", { id: "F1", name: "chart.png", mimetype: "image/png", content });
    const files = [{ id: "F1", name: "chart.png", mimetype: "image/png", size: 4 }, { nonsense: true }];
    const { attachments } = await accepted(slack.say({ text: "look", more: { subtype: "file_share", files } }));
    expect(attachments).toEqual([{ id: "F1", name: "chart.png", mediaType: "image/png", bytes: 4 }]);
    const [chart = { id: "", name: "", mediaType: "" }] = attachments;
    expect(Buffer.from(await adapter.fetchAttachment(chart, 4))).toEqual(content);
    await expect(adapter.fetchAttachment(chart, 3)).rejects.toMatchObject({ code: "too-large" });
    await expect(adapter.fetchAttachment({ ...chart, id: "F2" }, 4)).rejects.toMatchObject({ code: "not-found" });
    slack.scopes.delete("files:read");
    await expect(adapter.fetchAttachment(chart, 4)).rejects.toThrow("files:read");
  });

  it("when a person uses the slash command, then it becomes a command (I3)", async () => {
    const { slack, accepted } = await runSlack(mode);
    const inRoom = await accepted(slack.command({ room: "C0LOBBY", text: " Why  r-1 " }));
    expect(inRoom).toMatchObject({
      command: { name: "why", args: "r-1" },
      conversation: { room: "C0LOBBY", kind: "shared" },
      account: { id: "U0ANN", name: "ann" },
      unseen: true,
    });
    expect(commandIn(await accepted(slack.command({})))).toEqual({ name: "help", args: "" });
  });

  it("when it is used between two people, then the conversation is that person's own with the app", async () => {
    const { slack, accepted } = await runSlack(mode);
    const { conversation } = await accepted(slack.command({ room: "D0STRANGERS", text: "inbox" }));
    expect(conversation).toEqual({ channel: "main", workspace: "T0MOORING", room: "D0ANN", kind: "private" });
  });

  it("when a person types a command after a mention in a thread, then it becomes a command", async () => {
    const { slack, accepted } = await runSlack(mode);
    const thread = slack.world.nextTs();
    const said = { room: "C0LOBBY", thread, text: `${BOT} /why`, as: "app_mention" } as const;
    expect(commandIn(await accepted(slack.say(said)))).toEqual({ name: "why", args: "" });
    const bare = await accepted(slack.say({ ...said, text: BOT }));
    expect(commandIn(bare)).toEqual({ name: "help", args: "" });
  });

  it("when a person presses a button, then it becomes its command, about the message with the button", async () => {
    const { slack, accepted, adapter } = await runSlack(mode);
    const thread = slack.world.nextTs();
    const target = { channel: "main", workspace: "T0MOORING", room: "C0LOBBY", thread, kind: "shared" } as const;
    const delivery = sampleDelivery("r1", target, "done");
    const actions = [
      { name: "retry", label: "Again", value: "x1" },
      { name: "retry", label: "Again, slowly", value: "x2" },
    ];
    await adapter.deliver({ ...delivery, reply: { ...delivery.reply, actions } });
    const [post] = slack.posted;
    if (post === undefined) throw new Error("nothing was posted");
    const message = await accepted(slack.press(post, "Again, slowly", "U0BOB"));
    expect(message).toMatchObject({
      command: { name: "retry", args: "x2" },
      replyTo: post.ts,
      account: { id: "U0BOB" },
      conversation: target,
    });
  });

  it("when the author belongs to another workspace, then only they get a refusal, unless access allows it (I2)", async () => {
    const said = { user: "U0EVE", room: "C0LOBBY", text: `${BOT} hi`, as: "app_mention" } as const;
    const prepare = ({ world }: Awaited<ReturnType<typeof runSlack>>["slack"]) => {
      world.addUser({ id: "U0EVE", name: "eve", team: "T0OTHER" });
      world.rooms.get("C0LOBBY")?.members.add("U0EVE");
    };
    const closed = await runSlack(mode, { prepare });
    expect(await closed.slack.say(said)).toMatchObject({ answer: "acknowledged" });
    await closed.slack.until((posted) => posted.some(({ onlyFor }) => onlyFor === "U0EVE"));
    expect(closed.inbox.offered.items).toEqual([]);
    const open = await runSlack(mode, { prepare, config: { access: { teams: ["T0OTHER"] } } });
    expect((await open.accepted(open.slack.say(said))).account.name).toBe("eve");
  });

  describe("and a channel that is shared with another workspace", () => {
    const shared = ({ world }: Awaited<ReturnType<typeof runSlack>>["slack"]) => {
      world.addUser({ id: "U0EVE", name: "eve", team: "T0OTHER" });
      const lobby = world.rooms.get("C0LOBBY");
      lobby?.members.add("U0EVE");
      if (lobby) lobby.isShared = true;
    };
    const saying = (user: string, more: object) =>
      ({ user, room: "C0LOBBY", text: `${BOT} hi`, as: "app_mention", more: { team: undefined, ...more } }) as const;

    it.each([
      ["no workspace", {}],
      ["only ours as the receiving one", { team: "T0MOORING" }],
      ["another one as the source", { source_team: "T0OTHER" }],
      ["another one as the author's, and ours", { user_team: "T0OTHER", team: "T0MOORING" }],
    ])("when the event of an external author names %s, then the message is refused (I2)", async (_, more) => {
      const { slack, inbox } = await runSlack(mode, { prepare: shared });
      await slack.say(saying("U0EVE", more));
      await slack.until((posted) => posted.some(({ onlyFor }) => onlyFor === "U0EVE"));
      expect(inbox.offered.items).toEqual([]);
    });

    it("when the event of a member names no workspace, then the profile decides, and the message is accepted (I2)", async () => {
      const { slack, accepted } = await runSlack(mode, { prepare: shared });
      expect((await accepted(slack.say(saying("U0ANN", {})))).account.name).toBe("ann");
    });

    it("when the author's workspace is unknown, then the refusal asks them to try again (I2)", async () => {
      const { slack, inbox } = await runSlack(mode, {
        prepare: (given) => {
          shared(given);
          given.world.users.delete("U0ANN");
        },
      });
      await slack.say(saying("U0ANN", {}));
      await slack.until((posted) => posted.some(({ text }) => text.includes("did not report yours")));
      expect(inbox.offered.items).toEqual([]);
    });
  });

  it("when the inbox refuses a message, then only its author gets the reason, once", async () => {
    const { slack, inbox } = await runSlack(mode);
    for (let n = 0; n < 3; n++) {
      inbox.refuseNext(new AppError("forbidden", "you may not"));
      expect(await slack.say({ text: "hi" })).toMatchObject({ answer: "acknowledged" });
    }
    await slack.until((posted) => posted.length > 0);
    inbox.refuseNext(new AppError("rate-limited", "wait a little"));
    const { answer, body } = await slack.command({ text: "help" });
    expect([answer, body]).toEqual(["acknowledged", expect.stringContaining("wait a little")]);
    expect(slack.posted).toMatchObject([{ onlyFor: "U0ANN", text: "you may not" }]);
  });

  it("when a command cannot be stored, then the response asks to try again, because Slack does not retry", async () => {
    const { slack, inbox } = await runSlack(mode);
    inbox.refuseNext(new AppError("unavailable", "the store is away"));
    expect((await slack.command({ text: "help" })).body).toContain("try again");
  });

  it("when profiles cannot be read, then messages are accepted without them, in order", async () => {
    const { slack, inbox } = await runSlack(mode, { prepare: (slack) => slack.scopes.delete("users:read") });
    await Promise.all(["one", "two", "three"].map((text) => slack.say({ text })));
    const messages = await inbox.accepted.count(3);
    expect(messages.map(({ text, account }) => [text, account.name])).toEqual([
      ["one", "U0ANN"],
      ["two", "U0ANN"],
      ["three", "U0ANN"],
    ]);
  });

  it("when the app is uninstalled, then health reports the remedy", async () => {
    const { slack, adapter } = await runSlack(mode);
    await slack.event({ type: "tokens_revoked", tokens: { oauth: ["U0ANN"], bot: [] } });
    expect(adapter.health()).toEqual({ ok: true });
    await slack.event({ type: "app_uninstalled" });
    expect(adapter.health()).toMatchObject({ ok: false, reason: expect.stringContaining("install it again") });
  });
});
