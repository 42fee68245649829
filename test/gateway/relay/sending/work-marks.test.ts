import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { WorkMarkingAdapter } from "../../../../adapters/contract/abilities.ts";
import { DeliveryFailed } from "../../../../adapters/contract/delivery-failed.ts";
import type { Conversation } from "../../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import { collection, prefixOf } from "../../../../core/contract/ports/store.ts";
import { runChannel } from "../../../../gateway/relay/run-channel.ts";
import { LogChannel } from "../../../fakes/log-channel.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import type { RelayRig } from "../relay-rig.ts";
import { openRelayRig, room } from "../relay-rig.ts";

/** "+17" marks message 17, "-17" removes the mark. */
class MarkingChannel extends LogChannel implements WorkMarkingAdapter {
  readonly marks: Recorder<string>;
  beforeMark: (mark: string) => Promise<void> = async () => undefined;

  constructor(reactions: boolean | "seen" | "working" = true, marks = new Recorder<string>()) {
    super("marking", { connection: "shared", resend: "repeats", reactions });
    this.marks = marks;
  }

  async markWorking(_: Conversation, messageId: string): Promise<void> {
    await this.beforeMark(`+${messageId}`);
    this.marks.add(`+${messageId}`);
  }

  async unmarkWorking(_: Conversation, messageId: string): Promise<void> {
    await this.beforeMark(`-${messageId}`);
    this.marks.add(`-${messageId}`);
  }
}

const MARK_AFTER_MS = 3_000;
const HOUR_MS = 3_600_000;
const target = room("harbour", "marking");
let rig: RelayRig;
beforeEach(async () => {
  rig = await openRelayRig();
});
afterEach(() => rig.close());

const run = async (adapter: LogChannel, instance = "gateway-1") => {
  const running = await runChannel(rig.context, adapter, instance);
  rig.closes(() => running.stop());
  return running;
};

const work = (answers: string) => {
  const subject = subjectsOf("default").userSignal("mooring");
  rig.backbone.bus.signal(subject, { type: "typing", conversation: target, answers });
};

/** The agent works on the message for longer than a few seconds. */
const workOn = async (...messageIds: string[]) => {
  const begun = rig.clock.waits.items.filter((ms) => ms === MARK_AFTER_MS).length;
  for (const id of messageIds) work(id);
  await rig.clock.waits.until((all) => all.filter((ms) => ms === MARK_AFTER_MS).length === begun + messageIds.length);
  rig.clock.advance(MARK_AFTER_MS);
};

const answer = (messageId: string, markdown = "done", more = {}) =>
  rig.publish(`r-${messageId}`, target, markdown, { correlationId: `m-${messageId}`, answers: messageId, ...more });

const records = prefixOf(collection("work-marks", z.looseObject({ messageId: z.string(), state: z.string() })));

/** Resolves once the end of the work is stored. */
const ended = async (messageId: string): Promise<void> => {
  for (;;) {
    for await (const { value } of rig.backbone.store.list(records)) {
      if (value.messageId === messageId && value.state === "ended") return;
    }
    await new Promise((nextPass) => setImmediate(nextPass));
  }
};

const isLogged = (message: string) => rig.logger.lines.until((lines) => lines.some((line) => line.message === message));
const FAILED = "could not mark the message that is worked on";

describe("given a channel that marks the messages on which the agent works", () => {
  it("when an answer takes longer than a few seconds, then its message is marked until the answer is posted (C1)", async () => {
    const channel = new MarkingChannel();
    await run(channel);
    await workOn("17");
    expect(await channel.marks.count(1)).toEqual(["+17"]);
    await answer("17");
    expect(await channel.marks.count(2)).toEqual(["+17", "-17"]);
    expect(channel.events.items.slice(-1)).toEqual(["r-17/+marking/-/+harbour/-/0"]);
  });

  it.each([
    ["is empty", async () => answer("17", "", { outcome: "nothing" })],
    [
      "is refused by the platform for good",
      async (channel: MarkingChannel) => {
        channel.before = () => Promise.reject(new DeliveryFailed("rejected", "no"));
        await answer("17");
      },
    ],
    [
      "may no longer be shown",
      async () => {
        Object.assign(rig.context, { isStillTarget: async () => false });
        await answer("17");
      },
    ],
  ])("when the answer %s, then the mark is removed too (C1)", async (_, end) => {
    const channel = new MarkingChannel();
    await run(channel);
    await workOn("17");
    await channel.marks.count(1);
    await end(channel);
    expect(await channel.marks.count(2)).toEqual(["+17", "-17"]);
  });

  it("when an answer is fast, then its message is never marked (C1)", async () => {
    const channel = new MarkingChannel();
    await run(channel);
    work("17");
    await rig.clock.waits.until((all) => all.includes(MARK_AFTER_MS));
    await answer("17");
    await ended("17");
    await workOn("18");
    rig.clock.advance(MARK_AFTER_MS);
    expect(await channel.marks.count(1)).toEqual(["+18"]);
  });

  it("when two gateways run the channel, then one of them marks a message, and none marks an answered one (C1)", async () => {
    const marks = new Recorder<string>();
    const first = new MarkingChannel(true, marks);
    const second = new MarkingChannel(true, marks);
    await run(first, "gateway-1");
    await run(second, "gateway-2");
    work("17");
    work("18");
    await rig.clock.waits.until((all) => all.filter((ms) => ms === MARK_AFTER_MS).length === 4);
    await answer("18");
    await ended("18");
    rig.clock.advance(MARK_AFTER_MS);
    await marks.count(1);
    await answer("17");
    expect(await marks.count(2)).toEqual(["+17", "-17"]);
  });

  it("when the answer is posted while the mark is on its way, then the mark does not stay (C1)", async () => {
    const channel = new MarkingChannel();
    let arrive = () => {};
    const isOnItsWay = new Recorder<string>();
    channel.beforeMark = (mark) => {
      isOnItsWay.add(mark);
      return mark === "+17" ? new Promise<void>((resolve) => (arrive = resolve)) : Promise.resolve();
    };
    await run(channel);
    await workOn("17");
    await isOnItsWay.count(1);
    await answer("17");
    await channel.marks.count(1);
    arrive();
    expect(await channel.marks.count(3)).toEqual(["-17", "+17", "-17"]);
  });

  it("when the platform refuses a mark, then the answer is posted, and nothing is removed (C1)", async () => {
    const channel = new MarkingChannel();
    channel.beforeMark = () => Promise.reject(new DeliveryFailed("forbidden", "no reactions here"));
    await run(channel);
    await workOn("17");
    await isLogged(FAILED);
    channel.beforeMark = async () => undefined;
    await answer("17");
    await answer("18");
    expect(await channel.deliveries.count(2)).toHaveLength(2);
    expect(channel.marks.items).toEqual([]);
  });

  it("when the platform asks to wait, then the removal waits that long, and no message is marked meanwhile (C1)", async () => {
    const channel = new MarkingChannel();
    await run(channel);
    await workOn("17");
    await channel.marks.count(1);
    channel.beforeMark = () => Promise.reject(new DeliveryFailed("rate-limited", "slowly", { retryAfterMs: 7_000 }));
    await answer("17");
    await rig.clock.waits.until((all) => all.includes(7_000));
    channel.beforeMark = async () => undefined;
    await workOn("18");
    rig.clock.advance(4_000);
    expect(await channel.marks.count(2)).toEqual(["+17", "-17"]);
  });

  it("when many messages are worked on, then at most twenty a minute are marked (C1)", async () => {
    const channel = new MarkingChannel();
    await run(channel);
    const ids = Array.from({ length: 25 }, (_, index) => `${index}`);
    await workOn(...ids);
    expect(await channel.marks.count(20)).toEqual(ids.slice(0, 20).map((id) => `+${id}`));
    rig.clock.advance(60_000);
    await workOn("late");
    expect(await channel.marks.count(21)).toHaveLength(21);
  });

  it("when a gateway crashed before it removed a mark, then the next one removes it at its start (C1)", async () => {
    const crashed = new MarkingChannel();
    crashed.beforeMark = async (mark) => {
      if (mark === "-17") throw new DeliveryFailed("unknown", "the process ends here");
    };
    const running = await run(crashed);
    await workOn("17");
    await crashed.marks.count(1);
    await answer("17");
    await isLogged(FAILED);
    await running.stop();
    const channel = new MarkingChannel();
    await run(channel);
    expect(await channel.marks.count(1)).toEqual(["-17"]);
  });

  it("when no answer follows for an hour, then the next sweep removes the mark (C1)", async () => {
    const channel = new MarkingChannel();
    await run(channel);
    rig.clock.advance(1_000);
    await workOn("17");
    await channel.marks.count(1);
    rig.clock.advance(HOUR_MS - 1_000 - MARK_AFTER_MS);
    await rig.clock.waits.until((all) => all.filter((ms) => ms === HOUR_MS).length === 2);
    expect(channel.marks.items).toEqual(["+17"]);
    rig.clock.advance(HOUR_MS);
    expect(await channel.marks.count(2)).toEqual(["+17", "-17"]);
  });

  it("when the operator enables only the reaction to seen messages, then none is marked as worked on (C1)", async () => {
    const channel = new MarkingChannel("seen");
    await run(channel);
    work("17");
    await channel.typing.count(1);
    expect(rig.clock.waits.items).not.toContain(MARK_AFTER_MS);
  });
});
