import { describe, expect, it } from "vitest";
import type { SlackAccess } from "../../../adapters/slack/config.ts";
import type { Arrival } from "../../../adapters/slack/inbound.ts";
import { messageOfButton, messageOfCommand, messageOfEvent } from "../../../adapters/slack/inbound.ts";
import { ButtonPress, EventEnvelope, SlashCommand } from "../../../adapters/slack/payload.ts";
import { actionIdOf } from "../../../adapters/slack/render.ts";
import type { SlackIdentity } from "../../../adapters/slack/web-api.ts";
import { commandIn } from "../../fakes/sample-message.ts";

const NOW = Date.UTC(2026, 2, 10, 21);
const TS = "1773176400.000100";
const identity: SlackIdentity = {
  teamId: "T1",
  enterpriseId: "E1",
  botUserId: "UBOT",
  botId: "B1",
  teamUrl: "https://acme.slack.com/",
  scopes: undefined,
};
const arrival = (more: Partial<Arrival> = {}): Arrival => ({
  channel: "slack",
  tenant: "default",
  agent: "mooring",
  identity,
  access: undefined,
  now: NOW,
  traceId: "trace",
  ...more,
});
const envelope = (event: object, more: object = {}) =>
  EventEnvelope.parse({ type: "event_callback", team_id: "T1", event, ...more });
const direct = (more: object = {}) => ({
  type: "message",
  channel: "D1",
  channel_type: "im",
  user: "UANN",
  text: "hello",
  ts: TS,
  team: "T1",
  ...more,
});
const inRoom = (more: object = {}) =>
  direct({ channel: "C1", channel_type: "channel", text: "<@UBOT> hello", ...more });
const receive = (event: object, more: object = {}, at: Partial<Arrival> = {}) =>
  messageOfEvent(envelope(event, more), arrival(at));
const said = (...args: Parameters<typeof receive>) => {
  const inbound = receive(...args);
  if (!("message" in inbound)) throw new Error(`ignored: ${inbound.ignored}`);
  return inbound.message;
};
const ignored = (...args: Parameters<typeof receive>) => {
  const inbound = receive(...args);
  return "message" in inbound ? inbound.message : inbound;
};

describe("given an event of Slack with a person's message", () => {
  it("when it is a direct message, then the conversation is private, and the message has its link", () => {
    expect(said(direct())).toStrictEqual({
      kind: "message",
      id: `slack:T1:D1:${TS}`,
      tenant: "default",
      agent: "mooring",
      conversation: { channel: "slack", workspace: "T1", room: "D1", kind: "private" },
      account: { id: "UANN", name: "UANN" },
      text: "hello",
      attachments: [],
      messageId: "1773176400.000100",
      link: "https://acme.slack.com/archives/D1/p1773176400000100",
      sentAt: new Date(1_773_176_400_000).toISOString(),
      traceId: "trace",
    });
    expect(said(direct({ channel_type: "app_home" })).conversation.kind).toBe("private");
    expect(said(direct({ thread_ts: "1.1" })).conversation.thread).toBe("1.1");
  });

  it("when it is in a channel, then its thread is the conversation; a first message starts the thread", () => {
    expect(said(inRoom()).conversation).toEqual({
      channel: "slack",
      workspace: "T1",
      room: "C1",
      thread: TS,
      kind: "shared",
    });
    const answer = said(inRoom({ thread_ts: "1.1" }));
    expect(answer.conversation.thread).toBe("1.1");
    expect(answer.replyTo).toBe("1.1");
    expect(said(inRoom({ thread_ts: TS }))).not.toHaveProperty("replyTo");
    expect(said(inRoom({ type: "app_mention", channel_type: "im" })).conversation.kind).toBe("shared");
  });

  it("when its timestamp is in the future, then it counts as sent now", () => {
    expect(said(direct({ ts: "9999999999.000100" })).sentAt).toBe(new Date(NOW).toISOString());
  });

  it("then its files become attachments; files without an id are skipped", () => {
    const files = [{ id: "F1", name: "a.txt", mimetype: "text/plain", size: 3 }, { id: "F2" }, { name: "no id" }, null];
    expect(said(direct({ text: null, subtype: "file_share", files })).attachments).toStrictEqual([
      { id: "F1", name: "a.txt", mediaType: "text/plain", bytes: 3 },
      { id: "F2", name: "file", mediaType: "application/octet-stream" },
    ]);
    expect(said(direct({ text: null, subtype: "file_share", files }))).not.toHaveProperty("command");
  });

  it("when it only mentions the app, then it is the help command; a typed command becomes a command", () => {
    expect(commandIn(said(inRoom({ text: "<@UBOT>" })))).toEqual({ name: "help", args: "" });
    expect(commandIn(said(direct({ text: undefined })))).toEqual({ name: "help", args: "" });
    expect(commandIn(said(direct({ text: "/status now" })))).toEqual({ name: "status", args: "now" });
    expect(said(direct())).not.toHaveProperty("command");
  });

  it("then it has the author's workspace", () => {
    expect(receive(direct())).toMatchObject({ author: "ours" });
    expect(receive(direct({ user_team: "T2" }))).toMatchObject({ author: { team: "T2" } });
    expect(receive(direct(), { is_ext_shared_channel: true })).toMatchObject({ author: "unknown" });
  });
});

describe("given an event that does not address the agent", () => {
  it("when a room message does not address the app, then it is ignored, unless mentionOnly is false", () => {
    const plain = inRoom({ text: "hello" });
    expect(ignored(plain)).toEqual({ ignored: "the app was not addressed" });
    expect(ignored(inRoom({ text: undefined }))).toEqual({ ignored: "the app was not addressed" });
    const access = (mentionOnly: boolean) => ({ access: { mentionOnly } as SlackAccess });
    expect(ignored(plain, {}, access(true))).toEqual({ ignored: "the app was not addressed" });
    expect(said(plain, {}, access(false)).text).toBe("hello");
    expect(said(inRoom({ text: "hello", parent_user_id: "UBOT", thread_ts: "1.1" })).text).toBe("hello");
    expect(said(inRoom({ text: "hello", type: "app_mention" })).text).toBe("hello");
  });

  it.each([
    ["another bot's", { bot_id: "B2" }],
    ["the app's own", { user: "UBOT" }],
    ["Slackbot's", { user: "USLACKBOT" }],
    ["without a user", { user: undefined }],
  ])("when it is %s, then it is ignored", (_, more) => {
    expect(ignored(direct(more))).toEqual({ ignored: "a message of a bot" });
  });

  it("when it is an edit or another kind of message, then it is ignored", () => {
    expect(ignored(direct({ edited: { user: "UANN" } }))).toEqual({ ignored: "an edit" });
    const subtype = "channel_join".padEnd(70, "x");
    expect(ignored(direct({ subtype }))).toEqual({ ignored: `a message of subtype "${subtype.slice(0, 60)}"` });
    for (const spoken of ["thread_broadcast", "me_message"])
      expect(said(direct({ subtype: spoken })).text).toBe("hello");
  });

  it("when it is not a message, then it is ignored; a malformed message is unexpected", () => {
    const type = "reaction_added".padEnd(70, "x");
    expect(ignored({ type })).toEqual({ ignored: `an event of type "${type.slice(0, 60)}"`, unexpected: false });
    expect(ignored({ type: "message" })).toEqual({ ignored: 'an event of type "message"', unexpected: true });
    expect(ignored({ type: "app_mention" })).toMatchObject({ unexpected: true });
  });

  it("when it is for another workspace, then it is unexpected; an installation for the organisation is accepted", () => {
    expect(ignored(direct(), { team_id: "T2" })).toEqual({ ignored: "it is for workspace T2", unexpected: true });
    expect(said(direct(), { team_id: "T2", authorizations: [{ team_id: "T1" }] }).text).toBe("hello");
    expect(said(direct(), { team_id: null, enterprise_id: "E1" }).text).toBe("hello");
    expect(ignored(direct(), { team_id: null, enterprise_id: "E2" })).toMatchObject({ unexpected: true });
    expect(ignored(direct(), { team_id: "T2", enterprise_id: "E1" })).toMatchObject({ unexpected: true });
    const alone = { identity: { ...identity, enterpriseId: undefined } };
    expect(ignored(direct(), { team_id: null }, alone)).toMatchObject({ unexpected: true });
  });

  it("when the app was removed, then the result says so; revoked user tokens do not matter", () => {
    const removed = { ignored: "the app was uninstalled", unexpected: true, removed: true };
    expect(ignored({ type: "app_uninstalled" })).toEqual(removed);
    expect(ignored({ type: "tokens_revoked", tokens: { bot: ["UBOT"] } })).toEqual(removed);
    expect(ignored({ type: "tokens_revoked", tokens: { oauth: ["UANN"] } })).not.toHaveProperty("removed");
    expect(ignored({ type: "tokens_revoked", tokens: { bot: [] } })).not.toHaveProperty("removed");
  });
});

describe("given a command typed as text, because threads have no slash commands", () => {
  it.each([
    "/why abc",
    "/mooring why abc",
    "/mooring /why abc",
    "/Mooring  Why abc",
    "<@UBOT> /why abc",
    "@Mooring /why abc",
  ])("when the text is %j, then it is that command", (text) => {
    const event = { type: "message", channel_type: "im", channel: "D1", user: "UANN", ts: "1.000001", text };
    const { message } = messageOfEvent(envelope(event), arrival()) as { message: { command?: unknown } };
    expect(message.command).toEqual({ name: "why", args: "abc" });
  });
});

describe("given a slash command", () => {
  const command = (text: string, more: object = {}, at: Partial<Arrival> = {}) =>
    messageOfCommand(
      SlashCommand.parse({
        command: "/mooring",
        text,
        user_id: "UANN",
        team_id: "T1",
        channel_id: "C1",
        trigger_id: "9.9",
        ...more,
      }),
      arrival(at),
    );

  it("then its first word is the command, which the others in the room do not see", () => {
    expect(command("Status all  of it")).toStrictEqual({
      message: {
        kind: "command",
        id: "slack:T1:command:9.9",
        tenant: "default",
        agent: "mooring",
        conversation: { channel: "slack", workspace: "T1", room: "C1", kind: "shared" },
        account: { id: "UANN", name: "UANN" },
        text: "/status all  of it",
        attachments: [],
        command: { name: "status", args: "all  of it" },
        sentAt: new Date(NOW).toISOString(),
        traceId: "trace",
        unseen: true,
      },
      author: "ours",
    });
    expect(command("/status")).toMatchObject({ message: { text: "/status", command: { name: "status", args: "" } } });
    expect(command("")).toMatchObject({ message: { command: { name: "help", args: "" } } });
  });

  it("when it is sent in a direct message, then the conversation is private", () => {
    expect(command("x", { channel_id: "D1" })).toMatchObject({ message: { conversation: { kind: "private" } } });
    const named = { channel_name: "directmessage" };
    expect(command("x", named)).toMatchObject({ message: { conversation: { kind: "private" } } });
  });

  it("when it is from another workspace, then it is unexpected", () => {
    expect(command("x", { team_id: "T2" })).toEqual({ ignored: "a command in workspace T2", unexpected: true });
  });
});

describe("given a pressed button", () => {
  const press = (more: object = {}, action: object = {}) =>
    messageOfButton(
      ButtonPress.parse({
        type: "block_actions",
        team: { id: "T1" },
        user: { id: "UANN", team_id: "T1" },
        channel: { id: "C1" },
        container: { message_ts: "5.5" },
        actions: [{ action_id: actionIdOf("cancel", 2), value: "subtask-1", action_ts: "6.6", ...action }],
        ...more,
      }),
      arrival(),
    );

  it("then it becomes its command, about the message that shows it", () => {
    expect(press()).toMatchObject({
      message: {
        id: "slack:T1:C1:button:5.5:mooring:cancel:2:6.6",
        text: "/cancel subtask-1",
        command: { name: "cancel", args: "subtask-1" },
        replyTo: "5.5",
        conversation: { room: "C1", kind: "shared" },
      },
      author: "ours",
    });
    expect(press({}, { value: undefined })).toMatchObject({ message: { text: "/cancel", command: { args: "" } } });
    expect(press({ user: { id: "UBOB", team_id: "T2" } })).toMatchObject({ author: { team: "T2" } });
  });

  it("then the conversation is the thread of that message", () => {
    const inThread = { message: { conversation: { thread: "1.1" } } };
    expect(press({ container: { message_ts: "5.5", thread_ts: "1.1" } })).toMatchObject(inThread);
    expect(press({ message: { thread_ts: "1.1" } })).toMatchObject(inThread);
    expect(press({ channel: { id: "D1" } })).toMatchObject({
      message: { conversation: { room: "D1", kind: "private" } },
    });
  });

  it("when it belongs to another app or workspace, then it is ignored", () => {
    for (const action_id of [
      "cancel",
      "mooring:cancel",
      "mooring:cancel:x",
      "x mooring:cancel:1",
      "mooring:cancel:1 x",
    ]) {
      expect(press({}, { action_id })).toEqual({ ignored: "a button of another app" });
    }
    expect(press({ team: { id: "T2" } })).toEqual({ ignored: "a button in workspace T2", unexpected: true });
    expect(press({ team: null })).toHaveProperty("message");
  });
});

describe("given details of a message that look like something else", () => {
  it("when a message is in a thread, then its link leads into the thread (O12)", () => {
    const link = "https://acme.slack.com/archives/C1/p1773176400000100";
    expect(said(inRoom({ thread_ts: "1.1" })).link).toBe(`${link}?thread_ts=1.1&cid=C1`);
    expect(said(inRoom({ thread_ts: TS })).link).toBe(link);
  });

  it("when the prefix of commands is in the middle of a text, then it stays there", () => {
    expect(commandIn(said(direct({ text: "/why /mooring x" })))).toEqual({ name: "why", args: "/mooring x" });
  });

  it("when a message has a field of revoked tokens, then the app is not removed", () => {
    expect(said(direct({ tokens: { bot: ["UBOT"] } })).text).toBe("hello");
  });

  it.each([
    ["<#UBOT> is a channel", "#UBOT is a channel"],
    ["<https://a.example/?to=mailto:b>", "https://a.example/?to=mailto:b"],
    ["<mailto:a@b.example|mailto:a@b.example>", "a@b.example"],
  ])("when the text is %j, then it is read as people saw it", (text, shown) => {
    expect(said(direct({ text })).text).toBe(shown);
  });
});
