import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChannelAdapter } from "../../../../adapters/contract/channel-adapter.ts";
import type { AgentReply } from "../../../../core/contract/messages/agent-reply.ts";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import { isoTime } from "../../../../core/contract/ports/clock.ts";
import { runChannel } from "../../../../gateway/relay/run-channel.ts";
import { LogChannel } from "../../../fakes/log-channel.ts";
import { undrawable } from "../../../fakes/paper-channel.ts";
import { sampleActivity } from "../../../fakes/sample-activity.ts";
import { sampleAnchor } from "../../../fakes/sample-reply.ts";
import type { RelayRig } from "../relay-rig.ts";
import { openRelayRig, room } from "../relay-rig.ts";

const STREAM_MS = 700;
const PLAIN_COUNT = "deliveries_plain_total{channel=paper}";
let rig: RelayRig;
beforeEach(async () => {
  rig = await openRelayRig({ streamAfterMs: STREAM_MS });
});
afterEach(() => rig.close());

const run = async (adapter: ChannelAdapter, context = rig.context): Promise<void> => {
  const running = await runChannel(context, adapter, "gateway");
  rig.closes(() => running.stop());
};
const texts = () => rig.platform.notes.map(({ text }) => text);
const shows = (...expected: string[]) => rig.platform.until(() => JSON.stringify(texts()) === JSON.stringify(expected));
const linesAbout = (message: string) => rig.logger.lines.items.filter((line) => line.message === message);
const expectNoTrouble = async () => {
  expect(await rig.deadLetters()).toEqual([]);
  expect(rig.meter.counts.get("delivery_retries_total{channel=paper,reason=unknown}")).toBeUndefined();
};

describe("given a reply that the channel cannot render", () => {
  it("when it is sent, then it arrives once, at once and as plain text, and the conversation continues (F37)", async () => {
    rig.anchor = sampleAnchor;
    await run(rig.paper("repeats", "reconciling"));
    await rig.publish("r1", room("a"), undrawable("one"));
    await rig.publish("r2", room("a"), "two");
    await shows(undrawable("one"), "two");
    expect(rig.platform.notes[0]?.footer).toBe(sampleAnchor.text);
    expect(await rig.ledger("r1")).toEqual(["accepted"]);
    expect(linesAbout("reply could not be rendered, sent as plain text")).toHaveLength(1);
    expect(rig.meter.counts.get(PLAIN_COUNT)).toBe(1);
    await expectNoTrouble();
  });

  it("when it was streamed, then its message is edited as plain text, drafts and final alike (F37)", async () => {
    await run(rig.paper("repeats", "reconciling-editing", { editEveryMs: 1_000, streamEveryMs: 300 }));
    const delta = { conversation: room("a"), correlationId: "paper:q1", replyId: "r1", attempt: 0 };
    const signals = subjectsOf("default").userSignal("mooring");
    rig.backbone.bus.signal(signals, { type: "delta", ...delta, offset: 0, text: undrawable("one") });
    await rig.clock.passNext(STREAM_MS);
    await shows(`${undrawable("one")} …`);
    await rig.publish("r1", room("a"), undrawable("one and all"), { correlationId: "paper:q1" });
    await shows(undrawable("one and all"));
    expect(rig.platform.posts).toBe(1);
    expect(linesAbout("reply could not be rendered, sent as plain text")).toHaveLength(1);
    await expectNoTrouble();
  });

  it("when it is the state of an activity entry, then the entry is posted and edited as plain text (F37)", async () => {
    await run(rig.paper("repeats", "editing", { editEveryMs: 0 }));
    const say = (reply: AgentReply) =>
      rig.backbone.bus.publish(subjectsOf("default").userResponse("mooring"), reply, { id: reply.id });
    await say(sampleActivity("t1", room("a"), 1, { markdown: undrawable("began") }));
    await shows(undrawable("began"));
    await say(sampleActivity("t1", room("a"), 2, { markdown: undrawable("ended") }));
    await shows(undrawable("ended"));
    expect(rig.platform.posts).toBe(1);
  });

  it("when it is part of a digest, then the digest arrives as plain text, with its anchors as text (F37, D5)", async () => {
    rig.anchor = sampleAnchor;
    await run(rig.paper("repeats"));
    const createdAt = isoTime(rig.clock.now() - 3_600_000);
    const origin = { channel: "elsewhere", promptSummary: "ask", startedAt: createdAt, sessionId: "s-0" };
    for (const id of ["r1", "r2"]) await rig.publish(id, room("a"), undrawable(id), { createdAt, origin });
    await rig.clock.passNext(5_000);
    await rig.platform.until(({ notes }) => notes.length > 0);
    expect(texts()[0]).toContain(undrawable("r1"));
    expect(texts()[0]).toContain("deep research");
    await expectNoTrouble();
  });

  it("when the adapter fails for plain text too, then the reply becomes a dead letter after a few attempts (D6)", async () => {
    let calls = 0;
    const adapter = new LogChannel("paper");
    adapter.deliver = async () => {
      calls++;
      throw new TypeError("undefined is not a function");
    };
    await run(adapter);
    await rig.publish("r1", room("a"), "one");
    for (; calls < 5; await new Promise(setImmediate)) rig.clock.advance(1_000);
    expect(await rig.untilDead(1)).toMatchObject([{ reason: expect.stringContaining("after 5 attempts") }]);
  });
});
