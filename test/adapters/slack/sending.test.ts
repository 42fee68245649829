import { describe, expect, it } from "vitest";
import { anchorBlock } from "../../../adapters/slack/render.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { failureOf } from "../../contract/channel/contract-rig.ts";
import { sampleActivity } from "../../fakes/sample-activity.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleAnchor } from "../../fakes/sample-reply.ts";
import type { FakeSlack } from "../../fakes/slack/fake-slack.ts";
import { runSlack } from "./running-slack.ts";

const room = (id: string, thread?: string): Conversation => ({
  channel: "main",
  workspace: "T0MOORING",
  room: id,
  ...(thread !== undefined && { thread }),
  kind: id.startsWith("D") ? "private" : "shared",
});
const DM = room("D0ANN");

describe("given replies for Slack (C3)", () => {
  it("when one is posted, then it has a text for notifications, and links are not unfurled", async () => {
    const { slack, adapter } = await runSlack("http");
    const delivery = sampleDelivery("r1", DM, "see **https://example.com/secret?q=1**");
    await adapter.deliver({ ...delivery, anchor: { ...sampleAnchor, link: "https://chat.example/m/1?a=1&b=2" } });
    const call = slack.calls.items.find(({ method }) => method === "chat.postMessage");
    expect(call?.args).toMatchObject({ unfurl_links: "false", unfurl_media: "false" });
    const [post] = slack.posted;
    expect(post?.text).toContain("from Elsewhere");
    expect(post?.metadata).toEqual({ event_type: "mooring_delivery", event_payload: { id: delivery.id } });
    expect(post?.blocks.map(({ type }) => type)).toEqual(["context", "section"]);
  });

  it("when it has an anchor, then that is a separate block, with a link and a local time (O10, O12)", () => {
    const link = "https://chat.example/m/1?a=1&b=2";
    expect(anchorBlock({ ...sampleAnchor, summary: "<!here> & co", link })).toEqual({
      type: "context",
      elements: [
        {
          type: "mrkdwn",
          text:
            '↳ Re: "<https://chat.example/m/1?a=1&amp;b=2|&lt;!here&gt; &amp; co>"\n' +
            "started <!date^1735689600^{date_short_pretty} at {time}|2025-01-01 00:00 UTC> from Elsewhere",
          verbatim: true,
        },
      ],
    });
    expect(JSON.stringify(anchorBlock({ ...sampleAnchor, channel: "scheduled" }))).toContain(
      "scheduled · deep research · <!date^",
    );
  });

  it("when delegated work is running, then each item has one button to cancel it", async () => {
    const { slack, adapter } = await runSlack("http");
    const delivery = sampleDelivery("r1", DM, "working");
    const { messageId } = await adapter.deliver({ ...delivery, reply: sampleActivity("t1", DM, 1) });
    const labels = () => JSON.stringify(slack.posted[0]?.blocks).match(/Cancel “\w+”/g);
    expect(labels()).toEqual(["Cancel “tides”", "Cancel “knots”"]);
    const over = sampleActivity("t1", DM, 2, { kind: "completion" });
    await adapter.edit(messageId, { ...delivery, reply: over });
    expect(labels()).toBeNull();
  });

  it.each([
    ["429", "rate-limited"],
    ["503", "unavailable"],
    ["502", "unknown"],
    ["no-json", "unknown"],
    ["fatal_error", "unknown"],
    ["not_in_channel", "forbidden"],
    ["is_archived", "target-gone"],
    ["msg_too_long", "rejected"],
    ["token_revoked", "unavailable"],
  ])("when Slack responds with %s, then the reason is %s, after a single call", async (fault, reason) => {
    const { slack, adapter } = await runSlack("http");
    slack.faultIn = (method) => (method === "chat.postMessage" ? fault : undefined);
    expect(await failureOf(adapter.deliver(sampleDelivery("r1", DM, "hi")))).toMatchObject({ reason });
    expect(slack.calls.items.filter(({ method }) => method === "chat.postMessage")).toHaveLength(1);
  });

  it("when the app lacks a scope, then the failure names it", async () => {
    const { slack, adapter } = await runSlack("http");
    slack.scopes.delete("chat:write");
    const failure = await failureOf(adapter.deliver(sampleDelivery("r1", DM, "hi")));
    expect(failure).toMatchObject({ reason: "forbidden", message: expect.stringContaining("chat:write") });
  });

  it("when Slack is unreachable, then the failure says that nothing was sent", async () => {
    const { slack, adapter } = await runSlack("http");
    await slack.stop();
    slack.stop = async () => undefined;
    expect(await failureOf(adapter.deliver(sampleDelivery("r1", DM, "hi")))).toMatchObject({ reason: "unavailable" });
  });

  it("when Slack limits the rate in one room, then that room waits, and others do not", async () => {
    let skewMs = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + skewMs };
    const { slack, adapter } = await runSlack("http", { clock });
    slack.retryAfterSeconds = 30;
    slack.faultIn = (method, { channel }) =>
      method === "chat.postMessage" && channel === "C0LOBBY" ? "429" : undefined;
    const failure = await failureOf(adapter.deliver(sampleDelivery("r1", room("C0LOBBY", "1.000001"), "hi")));
    expect(failure).toMatchObject({ reason: "rate-limited", retryAfterMs: 30_000 });
    slack.recover();
    const calls = slack.calls.items.length;
    const other = await failureOf(adapter.deliver(sampleDelivery("r2", room("C0LOBBY", "2.000002"), "hi")));
    expect(other).toMatchObject({ reason: "rate-limited", retryAfterMs: expect.any(Number) });
    expect(slack.calls.items).toHaveLength(calls);
    await adapter.deliver(sampleDelivery("r3", DM, "hi"));
    skewMs = 31_000;
    await adapter.deliver(sampleDelivery("r1", room("C0LOBBY", "1.000001"), "hi"));
    expect(slack.posted).toHaveLength(2);
  });
});

describe("given a post whose response was lost", () => {
  const lost = async (target: Conversation) => {
    const running = await runSlack("http");
    running.slack.faultIn = (method) => (method === "chat.postMessage" ? "cut-after-accept" : undefined);
    await failureOf(running.adapter.deliver(sampleDelivery("r1", target, "hi")));
    running.slack.recover();
    return running;
  };

  it.each([DM, room("C0LOBBY", "1.000001")])("when many messages follow it in %j, then it is found", async (target) => {
    const { slack, adapter } = await lost(target);
    const ts = slack.posted[0]?.ts;
    chatter(slack, target, 300);
    expect(await adapter.find(sampleDelivery("r1", target, "hi"))).toEqual({ messageId: ts });
    expect(await adapter.find(sampleDelivery("r2", target, "hi"))).toBe("absent");
  });

  it("when the app may not read there, then the result is unknown", async () => {
    const { slack, adapter } = await lost(DM);
    slack.scopes.delete("channels:history");
    expect(await adapter.find(sampleDelivery("r1", DM, "hi"))).toBe("unknown");
  });

  it("when Slack is unavailable, then the search fails as unavailable, so that it is retried", async () => {
    const { slack, adapter } = await lost(DM);
    slack.faultIn = () => "503";
    expect(await failureOf(adapter.find(sampleDelivery("r1", DM, "hi")))).toMatchObject({ reason: "unavailable" });
  });
});

const chatter = ({ world }: FakeSlack, { room, thread }: Conversation, count: number): void => {
  for (let n = 0; n < count; n++) {
    const said = { room, ts: world.nextTs(), user: "U0ANN", text: "chatter", blocks: [], attachments: [] };
    world.messages.push({ ...said, ...(thread !== undefined && { thread }) });
  }
};

describe("given the other abilities of Slack", () => {
  it("when an answer is for one person, then only that person sees it, in the thread", async () => {
    const { slack, adapter } = await runSlack("http");
    const target = room("C0LOBBY", "1.000001");
    await adapter.deliverOnlyTo("U0BOB", sampleDelivery("r1", target, "psst"));
    expect(slack.posted).toMatchObject([{ onlyFor: "U0BOB", room: "C0LOBBY", thread: "1.000001" }]);
    const elsewhere = sampleDelivery("r2", room("C0ELSEWHERE"), "psst");
    expect(await failureOf(adapter.deliverOnlyTo("U0BOB", elsewhere))).toMatchObject({ reason: "rejected" });
  });

  it("when a person has never written in private, then a direct message is opened", async () => {
    const { adapter } = await runSlack("http");
    expect(await adapter.privateConversation("U0BOB")).toEqual(room("D0BOB"));
    expect(await failureOf(adapter.privateConversation("U0NOBODY"))).toMatchObject({ reason: "target-gone" });
  });

  it("when the agent works in a thread, then its status is shown; without the scope it is not requested again", async () => {
    const { slack, adapter } = await runSlack("http");
    await adapter.showTyping(DM);
    await adapter.showTyping(room("D0ANN", "1.000001"));
    expect(slack.world.statuses.items).toMatchObject([{ room: "D0ANN", thread: "1.000001" }]);
    slack.scopes.delete("assistant:write");
    await failureOf(adapter.showTyping(room("D0ANN", "1.000001")));
    const calls = slack.calls.items.length;
    await adapter.showTyping(room("D0ANN", "1.000001"));
    expect(slack.calls.items).toHaveLength(calls);
  });

  it("when the permalink of a message is requested, then it has the format of Slack", async () => {
    const { adapter } = await runSlack("http");
    expect(await adapter.permalink(room("C0LOBBY"), "1.000001")).toBe(
      "https://mooring.slack.com/archives/C0LOBBY/p1000001",
    );
    expect(await adapter.permalink(room("C0LOBBY", "1.000001"), "2.000002")).toBe(
      "https://mooring.slack.com/archives/C0LOBBY/p2000002?thread_ts=1.000001&cid=C0LOBBY",
    );
  });
});
