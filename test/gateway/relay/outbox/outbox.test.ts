import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChannelAdapter } from "../../../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../../../adapters/contract/delivery-failed.ts";
import { AppError } from "../../../../core/contract/app-error.ts";
import type { AgentReply } from "../../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../../core/contract/messages/conversation.ts";
import type { Store } from "../../../../core/contract/ports/store.ts";
import { startFanOut } from "../../../../gateway/relay/fan-out.ts";
import { startOutbox } from "../../../../gateway/relay/outbox.ts";
import { sampleAnchor } from "../../../fakes/sample-reply.ts";
import { undeliveredOnChannel } from "../../../fakes/undelivered-on-channel.ts";
import type { RelayRig } from "../relay-rig.ts";
import { openRelayRig, room } from "../relay-rig.ts";

const NO_ANSWER_MS = 45_000;
const HOUR_MS = 3_600_000;
const SUSPENDED_MS = 4_001;
let rig: RelayRig;
beforeEach(async () => {
  rig = await openRelayRig({ deliverWithinMs: NO_ANSWER_MS });
});
afterEach(async () => {
  await rig.close();
  expect(JSON.stringify(rig.logger.lines.items)).not.toContain("hello");
});

const bound = (store: Store): Store => ({
  get: (key) => store.get(key),
  put: (key, value, options) => store.put(key, value, options),
  delete: (key, options) => store.delete(key, options),
  list: (prefix) => store.list(prefix),
});

const relay = async (adapter: ChannelAdapter, context = rig.context): Promise<void> => {
  await adapter.start({ accept: async () => undefined });
  const consumers = [await startFanOut(context, adapter), await startOutbox(context, adapter)];
  rig.closes(async () => {
    await Promise.all([adapter.stop(), ...consumers.map((consumer) => consumer.close())]);
  });
};
/** The undelivered entries, once there are any. */
const untilListed = async (channel: string) => {
  for (;;) {
    const listed = await undeliveredOnChannel(rig.backbone.store, channel);
    if (listed.length > 0) return listed;
    await new Promise(setImmediate);
  }
};
/** Sends r1: the platform accepts it, its response is lost, and later calls succeed. */
const sendInDoubt = async (adapter: ChannelAdapter): Promise<void> => {
  rig.platform.faultIn = () => "cut-after-accept";
  await relay(adapter);
  await rig.publish("r1", room("a"), "hello");
  await rig.platform.until(({ posts }) => posts === 1);
  rig.platform.recover();
};
const textsIn = (name: string) => rig.platform.notes.filter((note) => note.room === name).map(({ text }) => text);

describe("given a channel on a platform that works", () => {
  it("when a reply is published, then it is posted once, and the ledger has the platform's acceptance (D4)", async () => {
    await relay(rig.paper("repeats"));
    await rig.publish("r1", room("a"), "hello");
    await rig.logger.lines.until((lines) => lines.some(({ message }) => message === "delivered"));
    expect(textsIn("a")).toEqual(["hello"]);
    expect(await rig.ledger("r1")).toEqual(["accepted"]);
    expect(rig.meter.counts.get("deliveries_total{channel=paper,outcome=accepted}")).toBe(1);
    expect(rig.meter.observed.get("delivery_latency_seconds{channel=paper}")).toHaveLength(1);
  });

  it("when its gateway is suspended between the claim and the send, then that attempt sends nothing, and a later one does (D4)", async () => {
    let suspensions = 1;
    const checkpoint = (name: string) => {
      rig.checkpoints.add(name);
      // By then another gateway may have found the part missing and sent it.
      if (name === "delivery.claimed" && suspensions-- > 0) rig.clock.advance(SUSPENDED_MS);
    };
    await relay(rig.paper("repeats"), { ...rig.context, checkpoint });
    await rig.publish("r1", room("a"), "hello");
    await rig.logger.lines.until((lines) => lines.some(({ message }) => message === "delivery failed, retrying"));
    expect(rig.platform.posts).toBe(0);
    expect(await rig.ledger("r1")).toEqual(["failed"]);
    await rig.clock.passNext(1_000);
    await rig.logger.lines.until((lines) => lines.some(({ message }) => message === "delivered"));
    expect(textsIn("a")).toEqual(["hello"]);
  });

  it("when a reply is published again after the bus's duplicate window, then it is not posted again (D4)", async () => {
    await relay(rig.paper("repeats"));
    await rig.publish("r1", room("a"), "hello");
    // If time passed before the platform's response, the outcome of the attempt would be unknown.
    await rig.logger.lines.until((lines) => lines.some(({ message }) => message === "delivered"));
    rig.clock.advance(10 * 60_000);
    await rig.publish("r1", room("a"), "hello");
    await rig.publish("r2", room("a"), "next");
    await rig.platform.until(({ notes }) => notes.some(({ text }) => text === "next"));
    expect(textsIn("a")).toEqual(["hello", "next"]);
    expect(rig.checkpoints.items.filter((name) => name === "relay.received")).toHaveLength(3);
    expect(await rig.ledger("r1")).toEqual(["accepted"]);
    expect(await rig.deadLetters()).toEqual([]);
  });

  it("when a reply is for another channel, then it is not posted here (D1)", async () => {
    await relay(rig.paper("repeats"));
    await rig.publish("r1", room("a", "other"), "not here");
    await rig.publish("r2", room("a"), "here");
    await rig.platform.until(({ notes }) => notes.length === 1);
    expect(textsIn("a")).toEqual(["here"]);
  });

  it("when a target has left the audience at send time, then it is withheld there, and only there (D3)", async () => {
    const targets = ["a", "b"].map((name) => ({ conversation: room(name) }));
    const isStillTarget = async (_: AgentReply, target: Conversation) => target.room !== "b";
    await relay(rig.paper("repeats"), { ...rig.context, targetsOn: async () => targets, isStillTarget });
    await rig.publish("r1", room("a"), "hello");
    await rig.logger.lines.until((lines) => lines.some(({ message }) => message.startsWith("delivery withheld")));
    await rig.platform.until(({ notes }) => notes.length === 1);
    expect(rig.platform.notes.map((note) => note.room)).toEqual(["a"]);
    expect(await rig.deadLetters()).toEqual([]);
  });

  it("when a reply has several targets, then each gets it once, and a failure of one does not affect the others (D1)", async () => {
    const targets = ["a", "b", "c"].map((name) => ({ conversation: room(name) }));
    rig.platform.faultIn = (name) => (name === "b" ? "room-gone" : undefined);
    await relay(rig.paper("repeats"), { ...rig.context, targetsOn: async () => targets });
    await rig.publish("r1", room("a"), "hello");
    await rig.logger.lines.until((lines) => lines.filter(({ message }) => message === "delivered").length === 2);
    await rig.untilDead(1);
    expect(rig.platform.notes.map((note) => note.room).sort()).toEqual(["a", "c"]);
    expect(await rig.ledger("r1")).toEqual(["accepted", "failed", "accepted"]);
  });

  it("when a reply is empty, then nothing is posted (B7)", async () => {
    await relay(rig.paper("repeats"));
    await rig.publish("r1", room("a"), "", { outcome: "nothing" });
    await rig.publish("r2", room("a"), "something");
    await rig.platform.until(({ notes }) => notes.length === 1);
    expect(rig.platform.posts).toBe(1);
  });

  it("when a reply is long, then its parts are posted in order and only the first has the anchor (D7, O9)", async () => {
    rig.anchor = sampleAnchor;
    await relay(rig.paper("repeats"));
    const paragraphs = ["one", "two", "three"].map((word) => `${word} `.repeat(60).trim());
    await rig.publish("r1", room("a"), paragraphs.join("\n\n"));
    await rig.platform.until(({ notes }) => notes.length === 3);
    expect(textsIn("a")).toEqual(paragraphs);
    expect(rig.platform.notes.map(({ footer }) => footer)).toEqual([sampleAnchor.text, undefined, undefined]);
  });

  it("when one conversation gets many replies, then they are posted in order (D5)", async () => {
    await relay(rig.paper("repeats"));
    const texts = Array.from({ length: 30 }, (_, index) => `message ${index}`);
    await Promise.all(texts.map((text, index) => rig.publish(`r${index}`, room("a"), text)));
    await rig.platform.until(({ notes }) => notes.length === 30);
    expect(textsIn("a")).toEqual(texts);
  });
});

describe("given a platform that fails", () => {
  it("when it sends Retry-After, then the conversation waits, keeps its order, and others continue (D5, F9)", async () => {
    rig.platform.faultIn = (name) => (name === "slow" ? "rate-limited" : undefined);
    await relay(rig.paper("repeats"));
    await rig.publish("r1", room("slow"), "first");
    await rig.publish("r2", room("slow"), "second");
    await rig.platform.until(({ posts }) => posts === 1);
    await rig.publish("r3", room("quick"), "not delayed");
    await rig.platform.until(({ notes }) => notes.length === 1);
    expect(textsIn("quick")).toEqual(["not delayed"]);
    rig.platform.recover();
    expect(await rig.clock.passNext(1_000, 3_000)).toBeGreaterThanOrEqual(2_000);
    await rig.platform.until(({ notes }) => notes.length === 3);
    expect(textsIn("slow")).toEqual(["first", "second"]);
    expect(rig.platform.posts).toBe(4);
    expect(rig.meter.counts.get("delivery_retries_total{channel=paper,reason=rate-limited}")).toBe(1);
  });

  it("when it is down, then retries back off until it recovers, and nothing is lost (D5, F10)", async () => {
    rig.platform.faultIn = () => "unavailable";
    await relay(rig.paper("repeats"));
    await rig.publish("r1", room("a"), "hello");
    for (const pauseMs of [1_000, 2_000]) await rig.clock.passNext(pauseMs);
    await rig.platform.until(({ posts }) => posts === 3);
    rig.platform.recover();
    await rig.clock.passNext(4_000);
    await rig.platform.until(({ notes }) => notes.length === 1);
    expect(textsIn("a")).toEqual(["hello"]);
  });

  it("when it goes down in the middle of a long reply, then accepted parts are not sent again (D4)", async () => {
    const paragraphs = ["one", "two", "three"].map((word) => `${word} `.repeat(60).trim());
    rig.platform.faultIn = () => (rig.platform.posts > 1 ? "unavailable" : undefined);
    await relay(rig.paper("repeats"));
    await rig.publish("r1", room("a"), paragraphs.join("\n\n"));
    await rig.platform.until(({ posts }) => posts === 2);
    rig.platform.recover();
    await rig.clock.passNext(1_000);
    await rig.platform.until(({ notes }) => notes.length === 3);
    expect(textsIn("a")).toEqual(paragraphs);
  });

  it("when it goes down in the middle of a long reply, then later parts still refer to the first (D7)", async () => {
    const adapter = rig.paper("repeats");
    const deliver = adapter.deliver.bind(adapter);
    const firsts: (string | undefined)[] = [];
    adapter.deliver = (delivery) => {
      firsts.push(delivery.firstMessageId);
      return deliver(delivery);
    };
    rig.platform.faultIn = () => (rig.platform.posts > 1 ? "unavailable" : undefined);
    await relay(adapter);
    await rig.publish("r1", room("a"), ["one", "two", "three"].map((word) => `${word} `.repeat(60)).join("\n\n"));
    await rig.platform.until(({ posts }) => posts === 2);
    rig.platform.recover();
    await rig.clock.passNext(1_000);
    await rig.platform.until(({ notes }) => notes.length === 3);
    const [first] = rig.platform.notes;
    expect(firsts).toEqual([undefined, first?.id, first?.id, first?.id]);
  });

  it("when it stays down, then the last attempt ends in a dead letter, and the next reply is attempted (D6)", async () => {
    rig.platform.faultIn = () => "unavailable";
    const adapter = rig.paper("repeats");
    const fanOut = await startFanOut(rig.context, adapter);
    await rig.publish("r1", room("a"), "hello", { correlationId: "m1" });
    await rig.checkpoints.until((names) => names.includes("relay.received"));
    await fanOut.close();
    rig.clock.advance(25 * 3_600_000);
    await relay(adapter);
    for (const pauseMs of [1_000, 2_000, 4_000, 8_000]) await rig.clock.passNext(pauseMs);
    const [letter] = await rig.untilDead(1);
    expect(letter).toMatchObject({ durable: "outbox-paper", attempts: 5 });
    expect(letter?.reason).toMatch(/^unavailable: .* \(after 5 attempts\)$/);
    rig.platform.recover();
    await rig.publish("r2", room("a"), "next", { correlationId: "m2" });
    await rig.platform.until(({ notes }) => notes.length === 1);
    expect(textsIn("a")).toEqual(["next"]);
  });

  it.each([
    ["room-gone", "target-gone"],
    ["no-access", "forbidden"],
  ] as const)(
    "when it answers %s, then the reply becomes a dead letter at once, with the reason (D6)",
    async (fault, reason) => {
      rig.platform.faultIn = () => fault;
      await relay(rig.paper("repeats"));
      await rig.publish("r1", room("a"), "hello");
      const [letter] = await rig.untilDead(1);
      expect(letter?.reason).toMatch(new RegExp(`^${reason}: `));
      expect(rig.platform.posts).toBe(1);
      expect(await rig.ledger("r1")).toEqual(["failed"]);
      expect(rig.meter.counts.get(`delivery_dead_letters_total{channel=paper,reason=${reason}}`)).toBe(1);
      const listed = await untilListed("paper");
      expect(listed).toMatchObject([{ excerpt: "hello", target: room("a"), reason: letter?.reason }]);
    },
  );
});

describe("given an attempt whose response is lost (D4, F11)", () => {
  it("when the platform cannot be queried, then the outcome is recorded as unknown and never resent", async () => {
    rig.platform.faultIn = () => "cut-after-accept";
    await relay(rig.paper("repeats"));
    await rig.publish("r1", room("a"), "hello");
    const [letter] = await rig.untilDead(1);
    expect(letter?.reason).toMatch(/^unknown: /);
    expect(await rig.ledger("r1")).toEqual(["unknown"]);
    expect(textsIn("a")).toEqual(["hello"]);
  });

  it("when the platform can be queried and has it, then it counts as accepted", async () => {
    await sendInDoubt(rig.paper("repeats", "reconciling"));
    await rig.clock.passNext(1_000);
    await rig.clock.passNext(4_000);
    await rig.publish("r2", room("a"), "next");
    await rig.platform.until(({ notes }) => notes.length === 2);
    expect(textsIn("a")).toEqual(["hello", "next"]);
    expect(await rig.ledger("r1")).toEqual(["accepted"]);
    expect(await rig.deadLetters()).toEqual([]);
  });

  it("when the platform deduplicates sends, then it is sent again and shown once", async () => {
    await sendInDoubt(rig.paper("idempotent"));
    await rig.clock.passNext(1_000);
    await rig.platform.until(({ posts }) => posts === 2);
    await rig.logger.lines.until((lines) => lines.some(({ message }) => message === "delivered"));
    expect(textsIn("a")).toEqual(["hello"]);
    expect(await rig.ledger("r1")).toEqual(["accepted"]);
  });

  it("when the platform's deduplication window has passed, then it is not resent", async () => {
    await sendInDoubt(rig.paper("idempotent"));
    await rig.clock.waits.until((waits) => waits.includes(1_000));
    rig.clock.advance(180_000);
    const [letter] = await rig.untilDead(1);
    expect(letter?.reason).toMatch(/^unknown: /);
    expect(rig.platform.posts).toBe(1);
  });

  it("when the clock is set back, then the platform is queried as soon as it can answer, not hours later (F14)", async () => {
    await sendInDoubt(rig.paper("repeats", "reconciling"));
    await rig.clock.waits.until((waits) => waits.includes(1_000));
    rig.clock.jump(-2 * HOUR_MS);
    await rig.clock.passNext(1_000);
    await rig.clock.passNext(5_000);
    await rig.publish("r2", room("a"), "next");
    await rig.platform.until(({ notes }) => notes.length === 2);
    expect(textsIn("a")).toEqual(["hello", "next"]);
    expect(await rig.ledger("r1")).toEqual(["accepted"]);
  });

  it("when the clock is set back, then the deduplication of the platform is not relied on (F14)", async () => {
    await sendInDoubt(rig.paper("idempotent"));
    await rig.clock.waits.until((waits) => waits.includes(1_000));
    rig.clock.jump(-2 * HOUR_MS);
    await rig.clock.passNext(1_000);
    const [letter] = await rig.untilDead(1);
    expect(letter?.reason).toMatch(/^unknown: /);
    expect(rig.platform.posts).toBe(1);
  });

  it.each<[string, () => unknown]>([
    ["throws another error", () => Promise.reject(new TypeError("oops"))],
    ["throws nothing at all", () => Promise.reject()],
    ["resolves without a receipt", () => Promise.resolve()],
    ["has a reason of another release", () => Promise.reject(new DeliveryFailed("later" as "unknown", "oops"))],
  ])("when the adapter %s, then the outcome is unknown and the log names the adapter (C7)", async (_, deliver) => {
    const adapter = rig.paper("repeats");
    adapter.deliver = deliver as typeof adapter.deliver;
    await relay(adapter);
    await rig.publish("r1", room("a"), "hello");
    const [letter] = await rig.untilDead(1);
    expect(letter?.reason).toMatch(/^unknown: /);
    expect(rig.logger.lines.items.some(({ message }) => message.startsWith("adapter bug"))).toBe(true);
  });

  it("when the acceptance cannot be stored at first, then it is stored later, and nothing is resent", async () => {
    const { store } = rig.backbone;
    let refusals = 2;
    const flaky: Store = {
      ...bound(store),
      put(key, value, options) {
        const isAcceptance = key.collection.name === "ledger" && JSON.stringify(value).includes('"accepted"');
        if (isAcceptance && refusals-- > 0) return Promise.reject(new AppError("unavailable", "the store is away"));
        return store.put(key, value, options);
      },
    };
    await relay(rig.paper("repeats"), { ...rig.context, store: flaky });
    await rig.publish("r1", room("a"), "hello");
    await rig.clock.passNext(1_000);
    await rig.clock.passNext(2_000);
    await rig.logger.lines.until((lines) => lines.some(({ message }) => message === "delivered"));
    expect(textsIn("a")).toEqual(["hello"]);
    expect(await rig.ledger("r1")).toEqual(["accepted"]);
  });

  it("when a delivery times out, then its outcome is unknown, and the conversation continues (F10)", async () => {
    const adapter = rig.paper("repeats");
    const deliver = adapter.deliver.bind(adapter);
    adapter.deliver = (delivery) => (delivery.reply.id === "r1" ? new Promise(() => undefined) : deliver(delivery));
    await relay(adapter);
    await rig.publish("r1", room("a"), "hello");
    await rig.publish("r2", room("a"), "next");
    await rig.clock.passNext(NO_ANSWER_MS);
    await rig.platform.until(({ notes }) => notes.length === 1);
    expect(textsIn("a")).toEqual(["next"]);
    expect(await rig.ledger("r1")).toEqual(["unknown"]);
  });

  it("when the platform shows a timed-out delivery late, then it appears once after later ones, as unknown (F11)", async () => {
    const adapter = rig.paper("repeats");
    const deliver = adapter.deliver.bind(adapter);
    let arriveLate: () => Promise<unknown> = async () => undefined;
    adapter.deliver = (delivery) => {
      if (delivery.reply.id !== "r1") return deliver(delivery);
      return new Promise((resolve, reject) => {
        arriveLate = () => deliver(delivery).then(resolve, reject);
      });
    };
    await relay(adapter);
    await rig.publish("r1", room("a"), "hello");
    await rig.publish("r2", room("a"), "next");
    await rig.publish("r3", room("a"), "last");
    await rig.clock.passNext(NO_ANSWER_MS);
    await rig.platform.until(({ notes }) => notes.length === 2);
    await arriveLate();
    await rig.publish("r4", room("a"), "much later");
    await rig.platform.until(({ notes }) => notes.length === 4);
    expect(textsIn("a")).toEqual(["next", "last", "hello", "much later"]);
    expect(await rig.ledger("r1")).toEqual(["unknown"]);
    expect(await untilListed("paper")).toMatchObject([
      { excerpt: "hello", reason: expect.stringMatching(/^unknown: /) },
    ]);
  });
});
