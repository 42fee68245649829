import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DeliveryFailed } from "../../../../adapters/contract/delivery-failed.ts";
import type { AgentReply } from "../../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../../core/contract/messages/conversation.ts";
import type { UserSignal } from "../../../../core/contract/messages/signals.ts";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import type { RelayContext } from "../../../../gateway/relay/context.ts";
import { runChannel } from "../../../../gateway/relay/run-channel.ts";
import { Ledger } from "../../../../gateway/relay/sending/ledger.ts";
import { Gate } from "../../../fakes/model-answer.ts";
import type { PaperAbility } from "../../../fakes/paper-channel.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import { sampleAnchor } from "../../../fakes/sample-reply.ts";
import type { RelayRig } from "../relay-rig.ts";
import { openRelayRig, room } from "../relay-rig.ts";

const AFTER_MS = 700;
const EDIT_MS = 1_200;
/** The first pause of the outbox. */
const RETRY_MS = 1_000;
const CHANNEL_MS = 300;
const SETTLED_MS = 5_000;

let rig: RelayRig;
let receivedSignals: Recorder<UserSignal>;
/** The result of the access check before each post and edit. */
let access: () => boolean;
beforeEach(async () => {
  access = () => true;
  rig = await openRelayRig({ streamAfterMs: AFTER_MS, settledAfterMs: SETTLED_MS });
  receivedSignals = new Recorder();
});
afterEach(() => rig.close());

const signals = subjectsOf("default").userSignal("mooring");
const pace = { editEveryMs: EDIT_MS, streamEveryMs: CHANNEL_MS };

const run = async (
  resend: "idempotent" | "repeats" = "idempotent",
  ability: PaperAbility = "editing",
  more = pace,
  changes: Partial<RelayContext> = {},
) => {
  const context = { ...rig.context, isStillTarget: async () => access(), ...changes };
  const running = await runChannel(context, rig.paper(resend, ability, more), "gateway");
  const listener = await rig.backbone.bus.listen(signals, (signal) => receivedSignals.add(signal));
  rig.closes(async () => {
    listener.close();
    await running.stop();
  });
  return running;
};
/** Resolves once the channel has received the signal. */
const write = async (
  text: string,
  more: { in?: Conversation; offset?: number; attempt?: number; id?: string } = {},
) => {
  const { in: conversation = room("a"), offset = 0, attempt = 0, id = "r1" } = more;
  const before = receivedSignals.items.length;
  const delta = { conversation, correlationId: "paper:q1", replyId: id, attempt, offset, text };
  rig.backbone.bus.signal(signals, { type: "delta", ...delta });
  await receivedSignals.count(before + 1);
};
const begin = async (text: string, more: Parameters<typeof write>[1] = {}) => {
  const before = rig.platform.notes.length;
  await write(text, more);
  await rig.clock.passNext(AFTER_MS);
  await rig.platform.until(({ notes }) => notes.length > before);
  await passed("delivery.marked", before + 1);
};
const end = (markdown: string, more: Partial<AgentReply> = {}, id = "r1", where = room("a")) =>
  rig.publish(id, where, markdown, { correlationId: "paper:q1", ...more });
const passed = (checkpoint: string, count = 1) =>
  rig.checkpoints.until((names) => names.filter((name) => name === checkpoint).length >= count);
const shown = () => rig.platform.notes.map(({ text }) => text);
const showing = (...texts: string[]) => rig.platform.until(() => JSON.stringify(shown()) === JSON.stringify(texts));

describe("given an answer that the model is writing, on a channel that streams (D8)", () => {
  it("when it takes a while, then a draft is posted and edited until the answer is complete", async () => {
    await run();
    await begin("The tide");
    expect(shown()).toEqual(["The tide …"]);
    await write(" comes", { offset: 8 });
    await write(" in.", { offset: 14 });
    await rig.clock.passNext(EDIT_MS);
    await showing("The tide comes in. …");
    await end("The tide comes in. **Twice** a day.");
    await showing("The tide comes in. **Twice** a day.");
    await passed("delivery.marked", 2);
    expect(rig.platform.posts).toBe(1);
    expect(rig.platform.edits).toHaveLength(2);
    expect(await rig.ledger("r1")).toEqual(["accepted"]);
  });

  it("when an earlier answer of the conversation is still in the relay, then the draft is posted after it (F34)", async () => {
    const held = new Gate();
    const { targetsOn } = rig.context;
    const slow: typeof targetsOn = async (channel, reply) => {
      if (reply.id === "r0") await held.opened;
      return targetsOn(channel, reply);
    };
    await run("idempotent", "editing", pace, { targetsOn: slow });
    await rig.publish("r0", room("a"), "It is low.");
    await write("The tide");
    await rig.clock.passNext(AFTER_MS);
    held.release();
    await showing("It is low.", "The tide …");
  });

  it("when it is complete before that, then it is posted once and never edited", async () => {
    await run();
    await write("Yes");
    await end("Yes.");
    await passed("delivery.marked");
    rig.clock.advance(2 * AFTER_MS);
    await write("Yes", { offset: 3 });
    await rig.publish("r2", room("a"), "next");
    await showing("Yes.", "next");
    expect(rig.platform.posts).toBe(2);
    expect(rig.platform.edits).toEqual([]);
  });

  it("when the model starts over, then the message shows the new text", async () => {
    await run();
    await begin("Let me look.");
    await write("Found it", { attempt: 1 });
    await rig.clock.passNext(EDIT_MS);
    await showing("Found it …");
  });

  it("when some signals are lost, then only text of the model is shown", async () => {
    await run();
    await begin("one ");
    await write("three ", { offset: 8 });
    await rig.clock.passNext(EDIT_MS);
    await end("one two three");
    await showing("one two three");
    expect(rig.platform.edits).toEqual(["one two three"]);
  });

  it("when it is long, then the draft becomes its first part, with the anchor, and the rest follows", async () => {
    rig.anchor = sampleAnchor;
    await run();
    const paragraphs = ["first", "second", "third"].map((word) => `${word} `.repeat(50).trim());
    await begin(paragraphs.join("\n\n"));
    expect(rig.platform.notes[0]?.footer).toBeUndefined();
    await end(paragraphs.join("\n\n"));
    await showing(...paragraphs);
    expect(rig.platform.notes.map(({ footer }) => footer)).toEqual([sampleAnchor.text, undefined, undefined]);
  });

  it("when an earlier answer is retried, then the draft of the next one waits for it (D5)", async () => {
    await run();
    let isDown = true;
    rig.platform.faultIn = () => (isDown ? "unavailable" : undefined);
    await rig.publish("r0", room("a"), "earlier");
    await rig.platform.until(({ posts }) => posts === 1);
    await write("later");
    await rig.clock.passNext(AFTER_MS);
    isDown = false;
    await rig.clock.passNext(RETRY_MS);
    await showing("earlier", "later …");
    await end("later on");
    await showing("earlier", "later on");
  });

  it("when its reader loses access meanwhile, then neither further text nor the final reply is shown (D3)", async () => {
    await run();
    await begin("The tide");
    access = () => false;
    await write(" is secret", { offset: 8 });
    await rig.clock.passNext(EDIT_MS);
    await end("The tide is secret.");
    await rig.logger.lines.until((lines) => lines.some(({ message }) => message.startsWith("delivery withheld")));
    expect(shown()).toEqual(["The tide …"]);
    expect(rig.platform.edits).toEqual([]);
  });

  it("when the access check fails, then it is retried later", async () => {
    await run();
    await begin("The tide");
    access = () => {
      throw new DeliveryFailed("rate-limited", "asked too often", { retryAfterMs: 3_000 });
    };
    await write(" comes", { offset: 8 });
    await rig.clock.passNext(EDIT_MS);
    await rig.clock.waits.until((waits) => waits.includes(3_000));
    access = () => true;
    rig.clock.advance(3_000);
    await showing("The tide comes …");
  });

  it("when the turn ends without an answer, then the draft is finished with a notice (B7)", async () => {
    await run();
    await begin("Let me see");
    await end("", { outcome: "nothing" });
    await showing("There is nothing to say about this.");
  });

  it("when the turn ends without an answer before the draft, then nothing is shown, not even late (B7)", async () => {
    await run();
    await write("Let me see");
    await end("", { outcome: "nothing" });
    await rig.publish("r2", room("a"), "next");
    await passed("delivery.marked");
    rig.clock.advance(AFTER_MS);
    await rig.publish("r3", room("a"), "and the next");
    await showing("next", "and the next");
  });

  it("when the channel does not stream, then the answer is posted when it is complete", async () => {
    await run("idempotent", "editing", { editEveryMs: EDIT_MS } as typeof pace);
    await write("The tide");
    rig.clock.advance(2 * AFTER_MS);
    await end("The tide comes in.");
    await showing("The tide comes in.");
    expect(rig.platform.edits).toEqual([]);
  });
});

describe("given an answer that the model is writing, and a platform that fails (D4)", () => {
  it("when it sends Retry-After, then no edit is earlier, and the last one is the final reply", async () => {
    await run();
    await begin("one");
    rig.platform.faultIn = () => "rate-limited";
    await write(" two", { offset: 3 });
    await rig.clock.passNext(EDIT_MS);
    await passed("stream.edited");
    rig.platform.recover();
    await rig.clock.passNext(2_000);
    await showing("one two …");
    await end("one two three");
    await showing("one two three");
  });

  it("when the draft was deleted, then the final reply is posted", async () => {
    await run();
    await begin("one");
    rig.platform.notes.length = 0;
    await end("one two");
    await showing("one two");
    await passed("delivery.marked", 2);
    expect(await rig.ledger("r1")).toEqual(["accepted"]);
  });

  it("when the last edit fails, then it is retried, and nothing is posted", async () => {
    await run("repeats", "editing");
    await begin("one");
    rig.platform.faultIn = () => "unavailable";
    await end("one two");
    await passed("stream.finished");
    rig.platform.recover();
    await rig.clock.passNext(RETRY_MS);
    await showing("one two");
    expect(rig.platform.posts).toBe(1);
  });

  it.each([
    ["deduplicates sends", "idempotent", "editing", ["one two"]],
    ["can be queried", "repeats", "reconciling-editing", ["one two"]],
    ["can do neither", "repeats", "editing", ["one …", "one two"]],
  ] as const)(
    "when the outcome of the draft is unknown, and the platform %s, then the final reply is shown once",
    async (_, resend, ability, texts) => {
      await run(resend, ability);
      rig.platform.faultIn = () => "cut-after-accept";
      await write("one");
      await rig.clock.passNext(AFTER_MS);
      await passed("delivery.claimed");
      await rig.platform.until(({ notes }) => notes.length === 1);
      rig.platform.recover();
      await end("one two");
      if (ability === "reconciling-editing") await rig.clock.passNext(SETTLED_MS);
      await showing(...texts);
    },
  );

  it("when the draft is refused, then the final reply is posted", async () => {
    await run();
    rig.platform.faultIn = () => "unavailable";
    await write("one");
    await rig.clock.passNext(AFTER_MS);
    await rig.platform.until(({ posts }) => posts === 1);
    rig.platform.recover();
    await end("one two");
    await showing("one two");
    expect(rig.platform.posts).toBe(2);
  });
});

describe("given a draft of one gateway that another gateway finishes (D4)", () => {
  it("when the first one has crashed, then the other one edits its message", async () => {
    const first = await run();
    await begin("one");
    await first.stop();
    await run();
    await end("one two");
    await rig.clock.passNext(SETTLED_MS);
    await showing("one two");
    expect(rig.platform.posts).toBe(1);
  });

  it("when the clock is set back meanwhile, then the other one does not wait for hours (F14)", async () => {
    const first = await run();
    await begin("one");
    await first.stop();
    await run();
    await end("one two");
    await rig.clock.waits.until((waits) => waits.includes(SETTLED_MS));
    rig.clock.jump(-2 * 3_600_000);
    await rig.clock.passNext(SETTLED_MS);
    await rig.clock.passNext(SETTLED_MS);
    await showing("one two");
    expect(rig.platform.posts).toBe(1);
  });

  it("when the first one is only slow, then it does not edit the message again", async () => {
    await run();
    await begin("one");
    const { store, clock } = rig.context;
    const ledger = new Ledger(store, clock);
    const part = { reply: { id: "r1" } as AgentReply, target: room("a"), part: { index: 0 } };
    const begun = await ledger.read(part);
    if (begun?.value.state !== "begun") throw new Error("nothing was begun");
    await ledger.close(part, { ...begun, value: begun.value });
    await write(" two", { offset: 3 });
    await rig.clock.passNext(EDIT_MS);
    await end("one two three");
    await showing("one two three");
    expect(rig.platform.edits).toEqual(["one two three"]);
  });
});
