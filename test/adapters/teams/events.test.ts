import { describe, expect, it } from "vitest";
import { Activity, isMentioned, messageText } from "../../../adapters/teams/activity.ts";
import type { Arrival } from "../../../adapters/teams/inbound.ts";
import { conversationId, installationIn, referenceOf, userMessageOf } from "../../../adapters/teams/inbound.ts";
import { commandIn } from "../../fakes/sample-message.ts";

const AT = "2026-03-10T21:00:00.000Z";
const NOW = Date.UTC(2026, 2, 10, 22);
const BOT = "28:bot";
const ROOM = "19:abc@thread.tacv2";
const arrival = (more: Partial<Arrival> = {}): Arrival => ({
  channel: "teams",
  tenant: "default",
  agent: "mooring",
  directory: "dir",
  botId: BOT,
  mentionOnly: true,
  now: NOW,
  traceId: "trace",
  ...more,
});
const mention = (id: string, name: string | undefined, text: string) => ({
  type: "mention",
  mentioned: { id, ...(name !== undefined && { name }) },
  text,
});
const activity = (more: object = {}): Activity =>
  Activity.parse({
    type: "message",
    id: "m1",
    channelId: "msteams",
    serviceUrl: "https://smba.example/",
    timestamp: AT,
    conversation: { id: "a:1", conversationType: "personal" },
    from: { id: "29:ann", aadObjectId: "ann", name: "Ann" },
    recipient: { id: BOT },
    text: "hello",
    ...more,
  });
const inChannel = (more: object = {}): Activity =>
  activity({
    conversation: { id: `${ROOM};messageid=m0`, conversationType: "channel" },
    channelData: { team: { id: "team", aadGroupId: "group" } },
    text: "<at>Bot</at> hello",
    entities: [mention(BOT, "Bot", "<at>Bot</at>")],
    ...more,
  });
const said = (one: Activity, more: Partial<Arrival> = {}) => userMessageOf(one, arrival(more));

describe("given an activity of Teams that is a message", () => {
  it("when it is private, then the conversation is private", () => {
    expect(said(activity({ locale: "de-DE", localTimezone: "Europe/Berlin" }))).toStrictEqual({
      kind: "message",
      id: "teams:a:1:m1",
      tenant: "default",
      agent: "mooring",
      conversation: { channel: "teams", room: "a:1", kind: "private" },
      messageId: "m1",
      account: { id: "ann", name: "Ann", locale: "de-DE", timeZone: "Europe/Berlin" },
      text: "hello",
      attachments: [],
      editable: true,
      sentAt: AT,
      traceId: "trace",
    });
    expect(said(activity({ from: { id: "29:ann" } }))?.account).toEqual({ id: "29:ann", name: "Unknown user" });
    expect(said(activity({ timestamp: "soon" }))?.sentAt).toBe(new Date(NOW).toISOString());
    expect(said(activity({ timestamp: undefined }))?.sentAt).toBe(new Date(NOW).toISOString());
  });

  it("when it is in a thread of a channel, then the thread is the conversation, with a link", () => {
    const message = said(inChannel());
    expect(message).toMatchObject({
      conversation: { channel: "teams", workspace: "team", room: ROOM, thread: "m0", kind: "shared" },
      text: "hello",
      replyTo: "m0",
    });
    expect(message?.link).toContain("groupId=group&parentMessageId=m0");
    expect(said(inChannel({ id: "m0" }))).not.toHaveProperty("replyTo");
    expect(conversationId({ room: ROOM, thread: "m0" })).toBe(`${ROOM};messageid=m0`);
    expect(conversationId({ room: ROOM })).toBe(ROOM);
  });

  it("when it does not mention the bot in a room, then it is ignored, unless mentionOnly is false", () => {
    const plain = inChannel({ text: "hello", entities: [] });
    expect(said(plain)).toBeUndefined();
    expect(said(plain, { mentionOnly: false })?.text).toBe("hello");
    expect(said(inChannel({ recipient: undefined }))?.text).toBe("hello");
    expect(said(inChannel({ recipient: { id: "28:other" } }))).toBeUndefined();
  });

  it("when it is from a bot, empty, without a sender, or not a message, then it is ignored", () => {
    expect(said(activity({ from: { id: "29:x", role: "bot" } }))).toBeUndefined();
    expect(said(activity({ from: { id: "28:x" } }))).toBeUndefined();
    expect(said(activity({ text: "  " }))).toBeUndefined();
    expect(said(activity({ text: undefined }))).toBeUndefined();
    expect(said(activity({ id: undefined }))).toBeUndefined();
    expect(said(activity({ from: undefined }))).toBeUndefined();
    expect(said(activity({ type: "messageReaction" }))).toBeUndefined();
  });

  it("when it is an edit, then it is marked as one, and never becomes a command", () => {
    expect(said(activity({ type: "messageUpdate" }))).toMatchObject({ text: "hello", kind: "edit" });
    expect(said(activity())?.kind).toBe("message");
    expect(said(activity({ type: "messageUpdate", text: "/new" }))).toBeUndefined();
    expect(commandIn(said(activity({ text: "/new now" })))).toEqual({ name: "new", args: "now" });
  });

  it("when it is a press of our button, then it becomes the command, about the card of the button", () => {
    const pressed = inChannel({
      text: undefined,
      entities: [],
      value: { mooring: { command: "cancel", args: "subtask-1" } },
      replyToId: "card",
    });
    expect(said(pressed)).toMatchObject({
      text: "/cancel subtask-1",
      command: { name: "cancel", args: "subtask-1" },
      replyTo: "card",
    });
    expect(said(activity({ value: { mooring: { command: "help" } } }))).toMatchObject({ text: "/help" });
    expect(said(inChannel({ entities: [], value: { other: 1 } }))).toBeUndefined();
  });

  it("then it answers the quoted message, else the one that Teams names", () => {
    const quote = (attributes: string) => ({
      contentType: "text/html",
      content: `<p>x</p><blockquote ${attributes}>y</blockquote>`,
    });
    const reply = 'itemscope itemtype="http://schema.skype.com/Reply" itemid="m7"';
    const replyTo = (attachments: object[], more: object = {}) => said(inChannel({ attachments, ...more }))?.replyTo;
    expect(replyTo([quote(reply)])).toBe("m7");
    expect(replyTo([quote(reply)], { replyToId: "m8" })).toBe("m7");
    expect(replyTo([quote('itemid="m7"')], { replyToId: "m8" })).toBe("m8");
    expect(replyTo([quote('itemid="m6"'), quote(reply)])).toBe("m7");
    expect(replyTo([{ ...quote(reply), contentType: "text/plain" }])).toBe("m0");
    expect(replyTo([{ contentType: "text/html", content: 7 }])).toBe("m0");
    expect(replyTo([quote(reply)], { value: {}, replyToId: "m8" })).toBe("m8");
  });

  it("then files alone are a message", () => {
    const picture = { contentType: "image/png", contentUrl: "https://x.example/p", name: "p.png" };
    expect(said(activity({ text: undefined, attachments: [picture] }))?.attachments).toMatchObject([{ name: "p.png" }]);
  });
});

describe("given the conversation of an activity", () => {
  const kindOf = (id: string, more: object = {}) => referenceOf(activity({ conversation: { id }, ...more })).kind;

  it("then the conversation of an old client is private only if that is certain", () => {
    expect(kindOf("a:1")).toBe("personal");
    expect(kindOf("19:x@thread.v2")).toBe("groupChat");
    expect(kindOf(ROOM)).toBe("channel");
    expect(kindOf("19:x", { channelData: { team: { id: "team" } } })).toBe("channel");
  });

  it("then its reference has the service address, and for a private one the account", () => {
    expect(referenceOf(activity())).toStrictEqual({
      serviceUrl: "https://smba.example/",
      kind: "personal",
      accountId: "ann",
    });
    expect(referenceOf(inChannel())).toStrictEqual({
      serviceUrl: "https://smba.example/",
      kind: "channel",
      groupId: "group",
    });
    expect(referenceOf(activity({ from: { id: "28:x", aadObjectId: "x" } }))).not.toHaveProperty("accountId");
    expect(referenceOf(activity({ from: undefined }))).not.toHaveProperty("accountId");
  });

  it("then an installation event adds or removes the app", () => {
    const of = (more: object) => installationIn(activity(more), BOT);
    expect(of({ type: "installationUpdate", action: "add" })).toBe("added");
    expect(of({ type: "installationUpdate", action: "add-upgrade" })).toBe("added");
    expect(of({ type: "installationUpdate", action: "remove" })).toBe("removed");
    expect(of({ type: "installationUpdate", action: "remove-upgrade" })).toBeUndefined();
    expect(of({ type: "installationUpdate" })).toBeUndefined();
    expect(of({ type: "conversationUpdate", membersAdded: [{ id: "29:x" }, { id: BOT }] })).toBe("added");
    expect(of({ type: "conversationUpdate", membersAdded: [{ id: "29:x" }] })).toBeUndefined();
    expect(of({ type: "conversationUpdate", membersRemoved: [{ id: BOT }] })).toBe("removed");
    expect(of({ type: "message", membersAdded: [{ id: BOT }] })).toBeUndefined();
    expect(of({ type: "conversationUpdate", membersAdded: [{ id: BOT }], recipient: undefined })).toBe("added");
  });
});

describe("given text with mentions as Teams writes it", () => {
  const text = (words: string | undefined, ...entities: object[]) =>
    messageText(activity({ ...(words !== undefined ? { text: words } : { text: undefined }), entities }), BOT);

  it("then the bot's name is removed and other names stay", () => {
    const both = [mention(BOT, "Bot", "<at>Bot</at>"), mention("29:bob", "Bob", '<at id="1">Bob</at>')];
    expect(text('<at>Bot</at> ask <at id="1">Bob</at>', ...both)).toBe("ask @Bob");
    expect(text("one<at>Bot</at>two", ...both)).toBe("one two");
    expect(text("<at>Bob</at>", mention("29:bob", undefined, "<at>Bob</at>"))).toBe("@Bob");
    expect(text("<AT>nobody</AT> here <at x>", ...both)).toBe("nobody here");
    expect(isMentioned({ entities: activity({ entities: both }).entities }, BOT)).toBe(true);
    expect(isMentioned({ entities: [] }, BOT)).toBe(false);
  });

  it("then escapes are decoded once, and spaces are collapsed but not lines", () => {
    expect(text("a &lt;b&gt; &amp;lt; &quot;c&quot; &#39;d&#39;&nbsp;e")).toBe(`a <b> &lt; "c" 'd' e`);
    expect(text("a  \t b\n\n c\u00a0d")).toBe("a b\n\n c d");
    expect(text("half \ud800")).toBe("half \ufffd");
    expect(text(undefined)).toBe("");
  });
});

describe("given a message with unusual fields", () => {
  const reply = 'itemtype="http://schema.skype.com/Reply"';

  it("when it is a command or an edit, then later edits do not change it (F13)", () => {
    expect(said(activity())).toHaveProperty("editable", true);
    expect(said(activity({ text: "/new" }))).not.toHaveProperty("editable");
    expect(said(activity({ type: "messageUpdate" }))).not.toHaveProperty("editable");
  });

  it("when Teams reports neither language nor time zone, then the account has none", () => {
    expect(said(activity())?.account).toStrictEqual({ id: "ann", name: "Ann" });
  });

  it("when Teams says that a conversation is personal, then it is private, regardless of its id", () => {
    const conversation = { id: "19:ann_bot@unq.gbl.spaces", conversationType: "personal" };
    expect(said(activity({ conversation }))?.conversation.kind).toBe("private");
    expect(said(activity({ conversation: { id: "a:1", conversationType: "groupChat" } }))).toBeUndefined();
  });

  it("when a pressed button does not name its card, then it answers the first message of the thread (O14)", () => {
    const value = { mooring: { command: "why" } };
    expect(said(inChannel({ text: undefined, value }))?.replyTo).toBe("m0");
  });

  it("when a quote lacks the id of its message, then the next quote counts", () => {
    const content = `<blockquote ${reply}>x</blockquote><blockquote ${reply} itemid="m7">y</blockquote>`;
    expect(said(inChannel({ attachments: [{ contentType: "text/html", content }] }))?.replyTo).toBe("m7");
  });

  it("when the mark-up of a mention has attributes or is left open, then it is not part of the text", () => {
    const bob = { type: "mention", mentioned: { id: "29:bob" }, text: '<at id="12">Bob</at>' };
    expect(said(activity({ text: 'ask <at id="12">Bob</at>', entities: [bob] }))?.text).toBe("ask @Bob");
    expect(said(activity({ text: 'ask <at id="12">him' }))?.text).toBe("ask him");
  });
});

describe("given a message in a room, when its link is made (O12)", () => {
  const linkOf = (one: Activity) => said(one, { mentionOnly: false })?.link;

  it("then the link of a channel message names tenant, team and thread", () => {
    expect(linkOf(inChannel({ id: "m 1" }))).toBe(
      "https://teams.microsoft.com/l/message/19%3Aabc%40thread.tacv2/m%201?tenantId=dir&groupId=group&parentMessageId=m0",
    );
    const first = { id: ROOM, conversationType: "channel" };
    expect(linkOf(inChannel({ conversation: first }))).toContain("&parentMessageId=m1");
  });

  it("then the link of a group chat says that it is a chat", () => {
    const conversation = { id: "19:x@thread.v2", conversationType: "groupChat" };
    expect(linkOf(activity({ conversation }))).toBe(
      "https://teams.microsoft.com/l/message/19%3Ax%40thread.v2/m1?context=%7B%22contextType%22%3A%22chat%22%7D",
    );
  });

  it("when Teams does not name the team of a channel, then there is no link", () => {
    expect(said(inChannel({ channelData: { team: { id: "team" } } }))).not.toHaveProperty("link");
  });
});
