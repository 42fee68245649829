import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import type { UserMessage } from "../../../../core/contract/messages/user-message.ts";
import { ack } from "../../../../core/contract/ports/bus.ts";
import { readPosted } from "../../../../core/origin/posted-message-index.ts";
import { readPlacedReply } from "../../../../core/origin/reply-placements.ts";
import { runChannel } from "../../../../gateway/relay/run-channel.ts";
import { LogChannel } from "../../../fakes/log-channel.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import { ofKind } from "../../../fakes/sample-message.ts";
import type { RelayRig } from "../relay-rig.ts";
import { openRelayRig, room } from "../relay-rig.ts";

let rig: RelayRig;
const published = new Recorder<UserMessage>();
beforeEach(async () => {
  rig = await openRelayRig();
  published.items.length = 0;
  const subject = subjectsOf("default").userMessage("mooring");
  await rig.backbone.bus.consume(subject, { durable: "test", concurrency: 1 }, async (message) => {
    published.add(message);
    return ack;
  });
});
afterEach(() => rig.close());

const identity = { tenant: "default", agent: "mooring" };
const asked = room("asked");
const other: Conversation = { channel: "paper", room: "dm-ann", kind: "private" };

/** A channel that shows every reply in its origin conversation and in another one. */
const run = async (adapter = rig.paper("repeats")) => {
  const targets = [asked, other].map((target) => ({ ...target, channel: adapter.channel }));
  const context = {
    ...rig.context,
    targetsOn: async () => targets.map((conversation) => ({ conversation })),
  };
  const channel = await runChannel(context, adapter, "gateway");
  rig.closes(() => channel.stop());
  return targets;
};
const shownAt = async (conversation: Conversation, messageId: string) =>
  (await readPosted(rig.backbone.store, { ...identity, conversation }, messageId))[0];
const placementsOf = async (replyId: string) =>
  (await readPlacedReply(rig.backbone.store, { ...identity, replyId }))?.places.map(
    ({ conversation }) => conversation.room,
  );

describe("given a proactive message that a platform shows in two conversations", () => {
  it("when it is accepted, then it is found by the platform's message id (O14), with its placements (O13)", async () => {
    await run();
    const cause = {
      turnId: "t-9",
      rootTurnId: "t-1",
      asker: { personId: "p", accountId: "ann", name: "Ann" },
      trigger: "synthesis",
      steps: [],
    };
    await rig.publish("t-9/final", asked, "the answer", { cause });
    await published.count(1);
    const ids = Object.fromEntries(rig.platform.notes.map(({ room: name, id }) => [name, id]));
    expect(await shownAt(other, ids["dm-ann"] ?? "")).toMatchObject({
      replyId: "t-9/final",
      turnId: "t-9",
      sessionId: "s-1",
      origin: { promptSummary: "deep research" },
      audience: { conversation: asked },
    });
    await expect.poll(() => placementsOf("t-9/final")).toHaveLength(2);
    expect(await shownAt(asked, ids.asked ?? "")).toMatchObject({ replyId: "t-9/final" });
    expect((await placementsOf("t-9/final"))?.sort()).toEqual(["asked", "dm-ann"]);
  });

  it("when a platform shows it, then it is already stored, so that its button can be pressed at once (O13)", async () => {
    const adapter = rig.paper("repeats");
    const stored: unknown[] = [];
    const post = adapter.deliver.bind(adapter);
    adapter.deliver = async (delivery) => {
      stored.push(await readPlacedReply(rig.backbone.store, { ...identity, replyId: delivery.reply.id }));
      return post(delivery);
    };
    await run(adapter);
    await rig.publish("t-9/final", asked, "the answer");
    await published.count(1);
    expect(stored[0]).toMatchObject({ replyId: "t-9/final", origin: { promptSummary: "deep research" } });
  });

  it("when it is shown in another conversation than its origin, then core gets it through that conversation's queue (O15)", async () => {
    await run();
    await rig.publish("t-9/final", asked, "the answer");
    const [entry] = await published.count(1);
    expect(entry).toMatchObject({
      conversation: other,
      shown: { replyId: "t-9/final", markdown: "the answer", origin: { promptSummary: "deep research" } },
    });
    expect(published.items).toHaveLength(1);
  });

  it("when it has several parts, then each of them can be answered", async () => {
    await run();
    await rig.publish("t-9/final", asked, "word ".repeat(150));
    await published.count(1);
    const ids = rig.platform.notes.filter(({ room: name }) => name === "dm-ann").map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(1);
    for (const id of ids) expect(await shownAt(other, id)).toMatchObject({ replyId: "t-9/final" });
  });

  it("when the channel has a log, then the result is the same", async () => {
    const adapter = new LogChannel("log");
    const [atOrigin, elsewhere] = await run(adapter);
    await rig.publish("t-9/final", { ...asked, channel: "log" }, "the answer");
    const [entry] = await published.count(1);
    expect(entry?.conversation).toEqual(elsewhere);
    const ids = adapter.deliveries.items.map(({ id, target }) => [target, id] as const);
    for (const [target, id] of ids) expect(await shownAt(target, id)).toMatchObject({ replyId: "t-9/final" });
    expect(ids.map(([target]) => target)).toEqual([atOrigin, elsewhere]);
  });
});

describe("given a reply that is not a proactive message", () => {
  it.each([
    ["a solicited answer", { correlationId: "m-1" }],
    ["a notice", { kind: "notice" as const, origin: null }],
  ])("when %s is shown, then nothing is recorded, and core gets nothing", async (_name, more) => {
    await run();
    await rig.publish("t-8/final", asked, "first", more);
    await rig.publish("t-9/final", asked, "second");
    await published.count(1);
    expect(published.items.map((message) => ofKind(message, "shown").shown.replyId)).toEqual(["t-9/final"]);
    expect(await placementsOf("t-8/final")).toBeUndefined();
    const first = rig.platform.notes.find(({ text }) => text === "first");
    expect(await shownAt(asked, first?.id ?? "")).toBeUndefined();
  });
});
