import { describe, expect, it } from "vitest";
import type { SlackWorld } from "../../fakes/slack/slack-world.ts";
import { quickLimits } from "./make-slack-adapter.ts";
import { type RunningSlack, runSlack } from "./running-slack.ts";

const LOBBY = "C0LOBBY";
/** A message in a room that the app was not addressed by. */
const put = (
  world: SlackWorld,
  text: string,
  more: { user?: string; room?: string; blocks?: object[] } = {},
): string => {
  const { user = "U0BOB", room = LOBBY, blocks = [] } = more;
  const ts = world.nextTs();
  world.messages.push({ room, ts, user, text, blocks: blocks as [], attachments: [] });
  return ts;
};
const asked = ({ slack, accepted }: RunningSlack, thread: string, more: object = {}) =>
  accepted(slack.say({ text: "<@U0BOT> is that right?", room: LOBBY, thread, as: "app_mention", ...more }));
const rootRequests = ({ slack }: RunningSlack) =>
  slack.calls.items.filter(({ method }) => method === "conversations.replies");

describe("given a thread in Slack (M1)", () => {
  it("when a person mentions the app in it, then the message quotes its first message, with author and time", async () => {
    const running = await runSlack("http");
    const root = put(running.slack.world, "The tide turns at six, says <@U0ANN> &amp; the harbour");
    const message = await asked(running, root);
    expect(message).toMatchObject({
      replyTo: root,
      quoted: {
        text: "The tide turns at six, says @U0ANN & the harbour",
        author: "bob",
        at: new Date(Math.floor(Number(root) * 1_000)).toISOString(),
      },
    });
    // The second message of the thread needs no request.
    expect(await asked(running, root)).toMatchObject({ quoted: { author: "bob" } });
    expect(rootRequests(running)).toHaveLength(1);
  });

  it("when it hangs on a post of the app, then the quote has its whole text without the anchor", async () => {
    const running = await runSlack("http");
    const blocks = [
      { type: "context", elements: [{ type: "mrkdwn", text: "↳ Re: tides" }] },
      { type: "section", text: { type: "mrkdwn", text: "High water at *six*." } },
      { type: "section", text: { type: "mrkdwn", text: "Low water at noon." } },
      { type: "actions", elements: [] },
    ];
    const root = put(running.slack.world, "↳ Re: tides\n\nHigh water …", { user: "U0BOT", blocks });
    const message = await asked(running, root, { text: "why?", as: "message", more: { parent_user_id: "U0BOT" } });
    expect(message).toMatchObject({ quoted: { text: "High water at *six*.\n\nLow water at noon.", isOwn: true } });
  });

  it("when it is in direct messages, then its first message is quoted, because the thread is a conversation of its own", async () => {
    const running = await runSlack("http");
    const root = put(running.slack.world, "remember the tides", { user: "U0ANN", room: "D0ANN" });
    const message = await running.accepted(running.slack.say({ text: "and?", thread: root }));
    expect(message).toMatchObject({ quoted: { text: "remember the tides", author: "ann" } });
  });

  it("when its first message addressed the app, then it is not quoted, because the session has it", async () => {
    const running = await runSlack("http");
    const root = put(running.slack.world, "<@U0BOT> when is high water?");
    expect(await asked(running, root)).not.toHaveProperty("quoted");
  });

  it("when a message is a command, or is not in a thread, then nothing is requested", async () => {
    const running = await runSlack("http");
    const root = put(running.slack.world, "The tide turns at six");
    expect(await asked(running, root, { text: "<@U0BOT> /status" })).not.toHaveProperty("quoted");
    expect(await running.accepted(running.slack.say({ text: "hello" }))).not.toHaveProperty("quoted");
    expect(rootRequests(running)).toEqual([]);
  });

  it.each(["missing_scope", "429", "503", "thread_not_found"])(
    "when Slack answers %s, then the message arrives without a quote, and without a request for each message",
    async (fault) => {
      const running = await runSlack("http");
      running.slack.retryAfterSeconds = 30;
      running.slack.faultIn = (method) => (method === "conversations.replies" ? fault : undefined);
      const root = put(running.slack.world, "The tide turns at six");
      for (let count = 0; count < 3; count++) expect(await asked(running, root)).not.toHaveProperty("quoted");
      expect(rootRequests(running)).toHaveLength(1);
    },
  );

  it("when Slack does not answer in time, then the message arrives without a quote", async () => {
    const running = await runSlack("http", { limits: { ...quickLimits, profileMs: 50 } });
    running.slack.faultIn = (method) => (method === "conversations.replies" ? "hang" : undefined);
    const root = put(running.slack.world, "The tide turns at six");
    expect(await asked(running, root)).not.toHaveProperty("quoted");
    running.slack.recover();
  });

  it("when the first message was deleted, then it is not quoted", async () => {
    const running = await runSlack("http");
    expect(await asked(running, "1773176400.000100")).not.toHaveProperty("quoted");
  });

  it("when a member of another workspace mentions the app, then no request is made for them", async () => {
    const running = await runSlack("http");
    running.slack.world.addUser({ id: "U0EVE", name: "eve", team: "T0OTHER" });
    const root = put(running.slack.world, "The tide turns at six");
    await running.slack.say({
      text: "<@U0BOT> what?",
      room: LOBBY,
      thread: root,
      user: "U0EVE",
      as: "app_mention",
      more: { user_team: "T0OTHER" },
    });
    expect(running.inbox.accepted.items).toEqual([]);
    expect(rootRequests(running)).toEqual([]);
  });
});

describe("given a message that a person forwards to the app (M1)", () => {
  const shared = { is_share: true, text: "The tide turns at &lt;six&gt;", author_name: "Bob", ts: "1773176400.000100" };
  const forwarded = ({ slack, accepted }: RunningSlack, attachment: unknown, more: object = {}) =>
    accepted(slack.say({ text: "is that right?", more: { attachments: [attachment] }, ...more }));
  const inRoom = { text: "<@U0BOT> is that right?", room: LOBBY, as: "app_mention" };

  it("then it is quoted with its author and time, also without a word of their own", async () => {
    const running = await runSlack("http");
    const quoted = { text: "The tide turns at <six>", author: "Bob", at: "2026-03-10T21:00:00.000Z" };
    expect(await forwarded(running, shared)).toMatchObject({ kind: "message", text: "is that right?", quoted });
    expect(await forwarded(running, shared, { text: "" })).toMatchObject({ kind: "message", text: "", quoted });
    expect(await forwarded(running, shared, inRoom)).toMatchObject({ quoted });
  });

  it("when it is from a private conversation, then it is quoted in private only: others in a room cannot read it", async () => {
    const running = await runSlack("http");
    const secret = { ...shared, private_channel_prompt: true };
    expect(await forwarded(running, secret)).toMatchObject({ quoted: { author: "Bob" } });
    expect(await forwarded(running, secret, inRoom)).not.toHaveProperty("quoted");
    const odd = { ...shared, private_channel_prompt: "perhaps" };
    expect(await forwarded(running, odd, inRoom)).not.toHaveProperty("quoted");
  });

  it("when it is the preview of a link, or malformed, then nothing is quoted", async () => {
    const running = await runSlack("http");
    for (const other of [
      { ...shared, is_share: undefined, is_msg_unfurl: true },
      { is_share: true, text: 7 },
      null,
      "x",
    ]) {
      expect(await forwarded(running, other)).not.toHaveProperty("quoted");
    }
    const odd = { ...shared, author_name: 7, ts: "never" };
    expect(await forwarded(running, odd)).toMatchObject({ quoted: { text: "The tide turns at <six>" } });
  });
});
