import { describe, expect, it } from "vitest";
import { asForm, asJson } from "../../fakes/slack/event-posts.ts";
import type { FakeSlack } from "../../fakes/slack/fake-slack.ts";
import { envelopeOf, messageEvent } from "../../fakes/slack/payloads.ts";
import type { RunningSlack } from "./running-slack.ts";
import { runSlack } from "./running-slack.ts";

const now = () => Math.floor(Date.now() / 1_000);

const said = ({ world }: FakeSlack, changes: object = {}) => {
  const message = { user: "U0ANN", room: "D0ANN", text: "hello", ts: world.nextTs() };
  return { ...envelopeOf(world, messageEvent(world, message), "Ev1"), ...changes };
};

/** The request had no effect except one log line, which does not contain its text. */
const expectOneLine = ({ inbox, logger }: RunningSlack) => {
  expect(inbox.offered.items).toEqual([]);
  const lines = logger.lines.items.filter(({ message }) => /refused|ignored/.test(message));
  expect(lines).toHaveLength(1);
  expect(JSON.stringify(lines)).not.toContain("hello");
};

describe("given requests that are not from Slack (F22)", () => {
  it.each<[string, object]>([
    ["is signed with another secret", { secret: "another" }],
    ["was signed too long ago", { at: now() - 301 }],
    ["is from the future", { at: now() + 400 }],
    ["has no signature", { headers: { "x-slack-signature": "" } }],
    ["has a signature of another kind", { headers: { "x-slack-signature": "v1=00" } }],
    ["has a timestamp that is not a number", { headers: { "x-slack-request-timestamp": "NaN" } }],
    [
      "has a timestamp that differs from the signed one",
      { headers: { "x-slack-request-timestamp": String(now() - 1) } },
    ],
  ])("when one %s, then it is refused", async (_, changes) => {
    const running = await runSlack("http");
    const { status } = await running.slack.post({ ...asJson(said(running.slack)), ...changes });
    expect(status).toBe(401);
    expectOneLine(running);
  });

  it("when its body was modified, then it is refused", async () => {
    const running = await runSlack("http");
    const { body, contentType } = asJson(said(running.slack));
    const headers = { "x-slack-signature": "v0=0000" };
    expect((await running.slack.post({ body: `${body} `, contentType, headers })).status).toBe(401);
    expectOneLine(running);
  });

  it("when a genuine one is replayed, then the message has the same id (F23)", async () => {
    const { slack, inbox } = await runSlack("http");
    const post = { ...asJson(said(slack)), at: now() - 200 };
    await slack.post(post);
    await slack.post(post);
    const messages = await inbox.accepted.count(2);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(1);
  });
});

describe("given unexpected requests of Slack (F19)", () => {
  it.each<[string, (slack: FakeSlack) => object]>([
    ["belongs to another workspace", (slack) => asJson(said(slack, { team_id: "T0OTHER", authorizations: null }))],
    [
      "is a command of another workspace",
      () => asForm({ command: "/mooring", team_id: "T0OTHER", user_id: "U1", channel_id: "C1", trigger_id: "1" }),
    ],
    ["has an event of an unknown type", (slack) => asJson(said(slack, { event: { type: "moon_landing" } }))],
    ["has an event without fields", (slack) => asJson(said(slack, { event: { type: "message" } }))],
    [
      "has fields of the wrong kind",
      (slack) => asJson(said(slack, { event: { type: "message", channel: 7, ts: {} } })),
    ],
    [
      "has a lone surrogate as its channel",
      (slack) => asJson(said(slack, { event: { ...said(slack, {}).event, channel: "\ud800", channel_type: "im" } })),
    ],
    [
      "has an invalid timestamp",
      (slack) => asJson(said(slack, { event: { type: "message", channel: "C1", ts: "x".repeat(9_999) } })),
    ],
    ["has no event", (slack) => asJson(said(slack, { event: null }))],
    ["is of an unknown type", () => asJson({ type: "moon_landing" })],
    ["is an array", () => asJson([])],
    ["is not JSON", () => ({ body: "{", contentType: "application/json" })],
    ["is empty", () => ({ body: "", contentType: "application/json" })],
    ["is a form without a payload", () => asForm({ a: 1 })],
    ["is a form whose payload is not JSON", () => asForm({ payload: "{" })],
    ["is a button without actions", () => asForm({ payload: JSON.stringify({ type: "block_actions", actions: [] }) })],
    [
      "is a press of another app's button",
      ({ world }) => asForm({ payload: JSON.stringify(pressed(world.teamId, "theirs")) }),
    ],
    [
      "is nested deeply",
      () => ({ body: `${"[".repeat(20_000)}${"]".repeat(20_000)}`, contentType: "application/json" }),
    ],
  ])("when one %s, then it is ignored", async (_, make) => {
    const running = await runSlack("http");
    const post = { body: "", contentType: "", ...make(running.slack) };
    expect((await running.slack.post(post)).status).toBe(200);
    expectOneLine(running);
  });

  it("when Slack verifies the address or the certificate, then it gets the response, and no message is stored", async () => {
    const { slack, inbox } = await runSlack("http");
    const challenge = await slack.post(asJson({ type: "url_verification", challenge: "abc" }));
    expect(challenge).toEqual({ status: 200, body: "abc" });
    const smuggled = { ssl_check: 1, command: "/mooring", team_id: "T0MOORING", user_id: "U0ANN" };
    expect((await slack.post(asForm(smuggled))).status).toBe(200);
    expect(inbox.offered.items).toEqual([]);
  });

  it("when the channel has not started, then the request is refused, so that Slack retries", async () => {
    const { slack } = await runSlack("http", { start: false });
    expect((await slack.say({ text: "too early" })).answer).toBe("refused");
  });

  it("when a request is too large, then the gateway refuses it before the adapter reads it", async () => {
    const { adapter } = await runSlack("http");
    expect(adapter.webhooks[0]?.maxBodyBytes).toBeLessThanOrEqual(3_000_000);
  });
});

const pressed = (team: string, actionId: string) => ({
  type: "block_actions",
  team: { id: team },
  user: { id: "U0ANN" },
  channel: { id: "D0ANN" },
  container: { message_ts: "1.000001" },
  actions: [{ action_id: actionId, action_ts: "1.000002" }],
});
