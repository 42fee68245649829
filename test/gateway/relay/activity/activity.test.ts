import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EditingAdapter } from "../../../../adapters/contract/abilities.ts";
import type { ChannelAdapter, Receipt } from "../../../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../../../adapters/contract/delivery-failed.ts";
import type { AgentReply } from "../../../../core/contract/messages/agent-reply.ts";
import { conversationKey } from "../../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import { activityText, changeActivityEntry } from "../../../../gateway/relay/activity/activity-entry.ts";
import { runChannel } from "../../../../gateway/relay/run-channel.ts";
import { EditingLogChannel, LogChannel } from "../../../fakes/log-channel.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import { sampleActivity } from "../../../fakes/sample-activity.ts";
import type { RelayRig } from "../relay-rig.ts";
import { openRelayRig, room } from "../relay-rig.ts";

const EVERY_MS = 1_000;
let rig: RelayRig;
beforeEach(async () => {
  rig = await openRelayRig();
});
afterEach(() => rig.close());

const run = async (adapter: ChannelAdapter, context = rig.context) => {
  const running = await runChannel(context, adapter, "gateway");
  rig.closes(() => running.stop());
};
const say = (reply: AgentReply, id = reply.id) =>
  rig.backbone.bus.publish(subjectsOf("default").userResponse("mooring"), reply, {
    id,
    key: conversationKey(reply.audience.conversation),
  });
const sayState = (revision: number, more: Partial<AgentReply> = {}) =>
  say(sampleActivity("t1", room("a"), revision, more));
const passed = (checkpoint: string, count: number) =>
  rig.checkpoints.until((names) => names.filter((name) => name === checkpoint).length >= count);
const noted = (count: number) => passed("activity.noted", count);
/** Resolves after this many posts and edits are recorded. */
const marked = (count: number) => passed("activity.marked", count);
const shown = () => rig.platform.notes.map(({ text }) => text);
/** Runs one edit at a time, each after its pause. */
const sayAndSee = async (revision: number, more: Partial<AgentReply> = {}) => {
  await sayState(revision, more);
  await rig.clock.passNext(EVERY_MS);
  await rig.platform.until(({ edits }) => edits.includes(`state ${revision}`));
};
/** Resolves once everything published before it was handled, for all keys. */
const answer = async (text: string) => {
  await rig.publish(text, room("a"), text);
  await rig.platform.until(({ notes }) => notes.some((note) => note.text === text));
};

describe("given delegated work, and a platform that can edit messages (B1)", () => {
  it("when its state changes, then there is one message, which is edited in place", async () => {
    await run(rig.paper("repeats", "editing"));
    await sayState(1);
    await rig.platform.until(({ notes }) => notes.length === 1);
    await sayAndSee(2);
    await sayAndSee(3, { kind: "completion" });
    expect(shown()).toEqual(["state 3"]);
    expect(rig.platform.posts).toBe(1);
    expect(await rig.ledger("t1/activity")).toEqual(["accepted"]);
  });

  it("when its room allows fewer edits than the channel, then the edits keep to the room's pace (C1)", async () => {
    const paper = rig.paper("repeats", "editing");
    await run(Object.assign(paper, { limitsIn: () => ({ editEveryMs: 3 * EVERY_MS }) }));
    await sayState(1);
    await rig.platform.until(({ notes }) => notes.length === 1);
    await sayState(2);
    await rig.clock.passNext(3 * EVERY_MS);
    await rig.platform.until(({ edits }) => edits.includes("state 2"));
    expect(shown()).toEqual(["state 2"]);
  });

  it("when the agent loses its access there, then no further state is shown (I2)", async () => {
    let isOpen = true;
    await run(rig.paper("repeats", "editing"), { ...rig.context, isStillTarget: async () => isOpen });
    await sayState(1);
    await marked(1);
    isOpen = false;
    rig.clock.advance(EVERY_MS);
    await sayState(2);
    await rig.logger.lines.until((lines) => lines.some(({ message }) => message.startsWith("delivery withheld")));
    expect(shown()).toEqual(["state 1"]);
  });

  it("when states come faster than the platform's edit limit, then outdated ones are skipped (D8)", async () => {
    await run(rig.paper("repeats", "editing"));
    await sayState(1);
    await rig.platform.until(({ notes }) => notes.length === 1);
    for (const revision of [2, 3, 4, 5]) await sayState(revision);
    await noted(5);
    await rig.clock.passNext(EVERY_MS);
    await marked(2);
    rig.clock.advance(EVERY_MS);
    await sayState(6, { kind: "completion" });
    await marked(3);
    expect(rig.platform.edits).toEqual(["state 5", "state 6"]);
  });

  it("when the clock is set back, then the last state is shown at once, not hours later (F14)", async () => {
    await run(rig.paper("repeats", "editing"));
    await sayState(1);
    await marked(1);
    rig.clock.jump(-2 * 3_600_000);
    await sayState(2, { kind: "completion" });
    await rig.platform.until(({ edits }) => edits.includes("state 2"));
    expect(shown()).toEqual(["state 2"]);
  });

  it("when an older state arrives late or twice, then it never replaces a newer one", async () => {
    await run(rig.paper("repeats", "editing"));
    await sayState(2);
    await rig.platform.until(({ notes }) => notes.length === 1);
    await sayAndSee(4);
    await marked(2);
    rig.clock.advance(10 * 60_000);
    await sayState(3);
    await say(sampleActivity("t1", room("a"), 2), "again");
    await say(sampleActivity("t1", room("a"), 4), "again too");
    await sayState(5);
    await rig.platform.until(({ edits }) => edits.includes("state 5"));
    expect(rig.platform.edits).toEqual(["state 4", "state 5"]);
    expect(rig.platform.posts).toBe(1);
  });

  it("when a slow gateway completes an old edit after another gateway's newer one, then the newer state is shown again", async () => {
    const adapter = rig.paper("repeats", "editing") as EditingAdapter;
    const edit = adapter.edit.bind(adapter);
    const held = new Recorder<() => void>();
    adapter.edit = async (messageId, delivery): Promise<Receipt> => {
      if (delivery.reply.id.endsWith("/2")) await new Promise<void>((goOn) => held.add(goOn));
      return edit(messageId, delivery);
    };
    await run(adapter);
    await sayState(1);
    await rig.platform.until(({ notes }) => notes.length === 1);
    await sayState(2);
    await rig.clock.passNext(EVERY_MS);
    const [goOn] = await held.count(1);
    const newest = sampleActivity("t1", room("a"), 3);
    await changeActivityEntry(rig.backbone.store, "t1/activity", room("a"), ({ shown: before, ...entry }) => ({
      ...entry,
      newest,
      ...(before && { shown: { ...before, revision: 3 } }),
    }));
    goOn?.();
    await rig.clock.passNext(EVERY_MS);
    await rig.platform.until(({ edits }) => edits.length === 2);
    expect(rig.platform.edits).toEqual(["state 2", "state 3"]);
  });

  it("when the response to the first post is lost, then it is not posted again, and shows the newest state", async () => {
    rig.platform.faultIn = () => "cut-after-accept";
    await run(rig.paper("idempotent", "editing"));
    await sayState(1);
    await rig.platform.until(({ posts }) => posts === 1);
    await sayState(2);
    await noted(2);
    rig.platform.recover();
    await rig.clock.passNext(EVERY_MS);
    await rig.platform.until(({ posts }) => posts === 2);
    await rig.clock.passNext(EVERY_MS);
    await rig.platform.until(({ edits }) => edits.length === 1);
    expect(shown()).toEqual(["state 2"]);
  });

  it("when edits are refused for a while, then answers are not delayed, and the last state is shown in the end", async () => {
    await run(rig.paper("repeats", "editing"));
    await sayState(1);
    await rig.platform.until(({ notes }) => notes.length === 1);
    rig.platform.faultIn = () => (rig.platform.posts === 1 ? "rate-limited" : undefined);
    await sayState(2);
    await rig.clock.passNext(EVERY_MS);
    await rig.clock.waits.until((waits) => waits.some((ms) => ms >= 2_000 && ms < 5_000));
    rig.platform.recover();
    await answer("the answer");
    expect(shown()).toEqual(["state 1", "the answer"]);
    await sayState(3, { kind: "completion" });
    await noted(3);
    await rig.clock.passNext(2_000, 5_000);
    await rig.platform.until(({ edits }) => edits.length === 1);
    expect(shown()).toEqual(["state 3", "the answer"]);
  });

  it.each(["room-gone", "no-access"] as const)(
    "when it can no longer be edited (%s), then it is dropped without a dead letter",
    async (fault) => {
      await run(rig.paper("repeats", "editing"));
      await sayState(1);
      await rig.platform.until(({ notes }) => notes.length === 1);
      rig.platform.faultIn = () => fault;
      await sayState(2);
      await rig.clock.passNext(EVERY_MS);
      await rig.logger.lines.until((lines) =>
        lines.some(({ message }) => message.startsWith("could not show activity entry")),
      );
      expect(await rig.deadLetters()).toEqual([]);
      rig.platform.recover();
      await answer("the answer");
    },
  );

  it("when its text is too long for one message, then it stays one message with the text that fits", async () => {
    await run(rig.paper("repeats", "editing"));
    await sayState(1, { markdown: "long ".repeat(200) });
    await rig.platform.until(({ notes }) => notes.length === 1);
    expect(shown()).toEqual(["Research: 0 of 2 done\n… tides\n… knots"]);
  });

  it("when the reply has further targets, then the activity is shown only in the origin conversation (D2)", async () => {
    const targets = [room("a"), room("b")].map((conversation) => ({ conversation }));
    await run(rig.paper("repeats", "editing"), { ...rig.context, targetsOn: async () => targets });
    await sayState(1);
    await rig.publish("r1", room("a"), "for all");
    await rig.platform.until(({ notes }) => notes.length === 3);
    const where = (text: string) => rig.platform.notes.filter((note) => note.text === text).map((note) => note.room);
    expect(where("state 1")).toEqual(["a"]);
    expect(where("for all").sort()).toEqual(["a", "b"]);
  });
});

describe("given delegated work, and a platform that cannot edit messages", () => {
  it("when its state changes, then people see only the first and the last state", async () => {
    await run(rig.paper("repeats"));
    for (const revision of [1, 2, 3]) {
      await sayState(revision);
      await rig.platform.until(({ notes }) => notes.length === 1);
    }
    await sayState(4, { kind: "completion" });
    await rig.platform.until(({ notes }) => notes.length === 2);
    await answer("the answer");
    expect(shown()).toEqual(["state 1", "state 4", "the answer"]);
  });
});

describe("given delegated work, and a channel with a log", () => {
  const inLog = (revision: number, more: Partial<AgentReply> = {}) =>
    say(sampleActivity("t1", room("a", "log"), revision, more));

  it("when its state changes, then each later entry edits the first one, once", async () => {
    const adapter = new EditingLogChannel("log");
    await run(adapter);
    await inLog(1);
    await inLog(2);
    await inLog(3, { kind: "completion" });
    await adapter.edits.count(2);
    await say(sampleActivity("t1", room("a", "log"), 2), "again");
    await inLog(4);
    const edits = await adapter.edits.count(3);
    expect(adapter.deliveries.items.map(({ reply }) => reply.id)).toEqual(["t1/activity"]);
    const messageId = adapter.deliveries.items[0]?.id;
    expect(edits.map((edit) => [edit.messageId, edit.delivery.part.markdown])).toEqual([
      [messageId, "state 2"],
      [messageId, "state 3"],
      [messageId, "state 4"],
    ]);
  });

  it("when an append fails, then it is retried and marked as a possible duplicate", async () => {
    const adapter = new EditingLogChannel("log");
    await run(adapter);
    await inLog(1);
    await adapter.deliveries.count(1);
    let failures = 0;
    adapter.before = async () => {
      if (failures++ === 0) throw new DeliveryFailed("unknown", "the store is away");
    };
    await inLog(2);
    await rig.clock.passNext(1_000);
    expect(await adapter.edits.count(1)).toMatchObject([{ delivery: { mayRepeat: true } }]);
  });

  it("when entries cannot be edited, then people see the first and the last state", async () => {
    const adapter = new LogChannel("log");
    await run(adapter);
    for (const revision of [1, 2, 3]) await inLog(revision);
    await inLog(4, { kind: "completion" });
    const deliveries = await adapter.deliveries.count(2);
    expect(deliveries.map(({ part }) => part.markdown)).toEqual(["state 1", "state 4"]);
  });
});

describe("given the text of an activity entry", () => {
  const items = [
    { id: "s1", name: "tides", state: "completed" as const },
    { id: "s2", name: "knots", state: "cancelled" as const },
    { id: "s3", name: "lamps", state: "running" as const },
  ];
  const activity = { id: "a", revision: 1, title: "Research", items };

  it.each([
    [100, "All of it", "All of it"],
    [100, "  ", "Research: 2 of 3 done\n✓ tides\n– knots\n… lamps"],
    [30, "x".repeat(31), "Research: 2 of 3 done"],
    [15, "x".repeat(31), "2 of 3 done"],
  ])("when %i characters fit, then the most important text stays", (max, markdown, text) => {
    expect(activityText(markdown, activity, { maxPartLength: max })).toBe(text);
  });
});
