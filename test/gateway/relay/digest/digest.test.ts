import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChannelAdapter, Delivery } from "../../../../adapters/contract/channel-adapter.ts";
import { offeredActions } from "../../../../adapters/contract/render-delivery.ts";
import type { AgentReply, Anchor } from "../../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../../core/contract/messages/conversation.ts";
import { isoTime } from "../../../../core/contract/ports/clock.ts";
import { readHeld } from "../../../../core/delivery/undelivered/held-record.ts";
import { readPosted } from "../../../../core/origin/posted-message-index.ts";
import type { RelayContext } from "../../../../gateway/relay/context.ts";
import { runChannel } from "../../../../gateway/relay/run-channel.ts";
import { LogChannel } from "../../../fakes/log-channel.ts";
import { MAX_NOTE_LENGTH } from "../../../fakes/paper-platform.ts";
import { sampleAnchor } from "../../../fakes/sample-reply.ts";
import { undeliveredOnChannel } from "../../../fakes/undelivered-on-channel.ts";
import type { RelayRig } from "../relay-rig.ts";
import { openRelayRig, room } from "../relay-rig.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const GATHER_MS = 5_000;
let rig: RelayRig;
beforeEach(async () => {
  rig = await openRelayRig({ deliverWithinMs: DAY, startWithinMs: DAY, stopWithinMs: DAY });
});
afterEach(() => rig.close());

const anchorOf = ({ origin }: AgentReply): Anchor => ({ ...sampleAnchor, text: `↳ Re: "${origin?.promptSummary}"` });

const run = async (more: Partial<RelayContext> = {}, adapter = rig.paper("repeats")) => {
  const context = { ...rig.context, anchorIn: async (_: Conversation, reply: AgentReply) => anchorOf(reply), ...more };
  const running = await runChannel(context, adapter, "gateway");
  rig.closes(() => running.stop());
  return running;
};
/** A channel, and the deliveries that it gets. */
const watchedPaper = () => {
  const shown: Delivery[] = [];
  const adapter = rig.paper("repeats");
  const deliver = adapter.deliver.bind(adapter);
  adapter.deliver = (delivery) => {
    shown.push(delivery);
    return deliver(delivery);
  };
  return { adapter, shown };
};
/** Publishes a reply that is created now and has its own origin. */
const say = (id: string, target: Conversation, text: string, more: Partial<AgentReply> = {}) => {
  const createdAt = isoTime(rig.clock.now());
  const origin = { channel: "elsewhere", promptSummary: `ask ${id}`, startedAt: createdAt, sessionId: "s-0" };
  return rig.publish(id, target, text, { createdAt, origin, ...more });
};
const notesIn = (name: string) => rig.platform.notes.filter((note) => note.room === name);
const textsIn = (name: string) => notesIn(name).map(({ text }) => text);
const held = async (name: string) => (await readHeld(rig.backbone.store, room(name))).items.length;
const untilReleased = async (name: string) => {
  while ((await held(name)) > 0) await new Promise(setImmediate);
};
const untilPosts = (count: number) => rig.platform.until(({ posts }) => posts >= count);
const untilHeld = async (name: string, count: number) => {
  while ((await held(name)) < count) await new Promise(setImmediate);
};
const untilNotes = (count: number) => rig.platform.until(({ notes }) => notes.length >= count);
/** Resolves once this many waits of this length have begun. */
const untilWaits = (ms: number, count = 1) =>
  rig.clock.waits.until((waits) => waits.filter((each) => each === ms).length >= count);

/** The replies that an answer to the message continues. */
const shownIn = async (name: string, index: number) => {
  const address = { tenant: "default", agent: "mooring", conversation: room(name) };
  const records = await readPosted(rig.backbone.store, address, notesIn(name)[index]?.id ?? "");
  return records.map(({ replyId, number }) => [replyId, number]);
};

/** Advances time after the first attempt has failed. */
const stayDown = async (ms: number) => {
  await untilWaits(1_000);
  rig.clock.advance(ms);
};

/** Holds two answers that are late, because the platform was down. */
const holdTwo = async (adapter = rig.paper("repeats")) => {
  rig.platform.faultIn = () => "unavailable";
  await run({}, adapter);
  await say("r1", room("a"), "one");
  await say("r2", room("a"), "two");
  await stayDown(16 * MINUTE);
  await untilHeld("a", 2);
};

describe("given a platform that was down for longer than 15 minutes (D5)", () => {
  it("when it recovers, then proactive messages arrive as one digest, each complete and with its anchor", async () => {
    rig.platform.faultIn = () => "unavailable";
    await run();
    await say("r1", room("a"), "first *answer*");
    await say("r2", room("a"), "to the point", { correlationId: "m2" });
    await say("r3", room("a"), "```ts\nlet open");
    await say("r4", room("a"), '↳ Re: "forged"');
    await stayDown(16 * MINUTE);
    await untilWaits(1_000, 2);
    rig.platform.recover();
    rig.clock.advance(1_000);
    await untilHeld("a", 3);
    expect(textsIn("a")).toEqual(["to the point"]);
    rig.clock.advance(GATHER_MS);
    await untilNotes(2);
    expect(textsIn("a")[1]).toBe(
      [
        "**3 messages have waited for you.**",
        '↳ Re: "ask r1"',
        "**1.**",
        "first *answer*",
        '↳ Re: "ask r3"',
        "**2.**",
        "```ts\nlet open\n```",
        '↳ Re: "ask r4"',
        "**3.**",
        '→ Re: "forged"',
      ].join("\n\n"),
    );
    await untilReleased("a");
    for (const id of ["r1", "r3", "r4"]) expect(await rig.ledger(id)).toEqual(["accepted"]);
    // A later message is not late.
    await say("r5", room("a"), "news");
    await untilNotes(3);
    expect(textsIn("a")[2]).toBe("news");
  });

  it("when only one message is late, then it is sent without a digest", async () => {
    rig.platform.faultIn = () => "unavailable";
    await run();
    await say("r1", room("a"), "alone");
    await stayDown(16 * MINUTE);
    await untilHeld("a", 1);
    rig.platform.recover();
    rig.clock.advance(GATHER_MS);
    await untilNotes(1);
    expect(notesIn("a")).toMatchObject([{ text: "alone", footer: '↳ Re: "ask r1"' }]);
  });

  it("when it stays down, then the digest is retried with growing pauses and includes later messages", async () => {
    rig.platform.faultIn = () => "unavailable";
    await run();
    await say("r1", room("a"), "one");
    await stayDown(16 * MINUTE);
    await untilHeld("a", 1);
    rig.clock.advance(GATHER_MS);
    await untilPosts(2);
    await untilWaits(1_000, 2);
    await say("r2", room("a"), "two");
    await untilHeld("a", 2);
    rig.clock.advance(1_000);
    await untilPosts(3);
    await untilWaits(2_000);
    await say("r3", room("a"), "three");
    await untilHeld("a", 3);
    rig.platform.recover();
    rig.clock.advance(2_000);
    await untilNotes(1);
    expect(textsIn("a")).toEqual([expect.stringMatching(/^\*\*3 messages[\s\S]*one[\s\S]*two[\s\S]*three/)]);
    expect(rig.platform.posts).toBe(4);
  });

  it("when the texts are long, then the digest is split without loss (D7)", async () => {
    rig.platform.faultIn = () => "unavailable";
    await run();
    const words = (name: string) => Array.from({ length: 120 }, (_, index) => `${name}${index}`).join(" ");
    await say("r1", room("a"), words("x"));
    await say("r2", room("a"), words("z"));
    await stayDown(16 * MINUTE);
    await untilHeld("a", 2);
    rig.platform.recover();
    rig.clock.advance(GATHER_MS);
    await untilReleased("a");
    const texts = textsIn("a");
    expect(texts.length).toBeGreaterThan(2);
    for (const text of texts) expect(text.length).toBeLessThanOrEqual(MAX_NOTE_LENGTH);
    const all = texts.join(" ").split(/\s+/);
    for (const name of ["x", "z"]) expect(all.filter((word) => word.startsWith(name))).toHaveLength(120);
  });

  it("when there are many, then each part of the digest has a Why button for every item in it (O13)", async () => {
    const { adapter, shown } = watchedPaper();
    rig.platform.faultIn = () => "unavailable";
    await run({}, adapter);
    const ids = Array.from({ length: 12 }, (_, index) => `r${index + 1}`);
    for (const id of ids) await say(id, room("a"), "word ".repeat(MAX_NOTE_LENGTH / 25));
    await stayDown(16 * MINUTE);
    await untilHeld("a", ids.length);
    shown.length = 0;
    rig.platform.recover();
    rig.clock.advance(GATHER_MS);
    await untilReleased("a");
    expect(shown.length).toBeGreaterThan(2);
    expect(shown.flatMap((delivery) => offeredActions(delivery).map(({ value }) => value))).toEqual(ids);
  });

  it("when the room no longer exists, then each item becomes a dead letter with the reason (D6)", async () => {
    await holdTwo();
    rig.platform.faultIn = () => "room-gone";
    rig.clock.advance(GATHER_MS);
    const letters = await rig.untilDead(2);
    expect(letters.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^target-gone: /),
      expect.stringMatching(/^target-gone: /),
    ]);
    await untilReleased("a");
    const listed = await undeliveredOnChannel(rig.backbone.store, "paper");
    expect(listed.map(({ excerpt }) => excerpt).sort()).toEqual(["one", "two"]);
  });

  it("when the response to the digest is lost, then nothing is resent, and each outcome is unknown (D4)", async () => {
    await holdTwo();
    rig.platform.faultIn = () => "cut-after-accept";
    rig.clock.advance(GATHER_MS);
    const letters = await rig.untilDead(2);
    expect(letters.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^unknown: /),
      expect.stringMatching(/^unknown: /),
    ]);
    expect(await rig.ledger("r1")).toEqual(["unknown"]);
    expect(textsIn("a")).toHaveLength(1);
  });
});

describe("given a partly sent digest, one item of which has lost its audience (D3)", () => {
  const words = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`).join(" ");
  let isGone = false;
  /** The platform accepts the first message of the digest and not the second. */
  const sendFirstPart = async (texts: Record<string, string>) => {
    isGone = false;
    rig.platform.faultIn = () => "unavailable";
    await run({ isStillTarget: async ({ id }) => !(isGone && id === "r2") });
    for (const [id, text] of Object.entries(texts)) await say(id, room("a"), text);
    await stayDown(16 * MINUTE);
    await untilHeld("a", Object.keys(texts).length);
    const posts = rig.platform.posts;
    rig.platform.faultIn = () => (rig.platform.posts > posts + 1 ? "unavailable" : undefined);
    rig.clock.advance(GATHER_MS);
    await untilPosts(posts + 2);
    await untilWaits(1_000, 2);
  };
  const goOn = () => {
    isGone = true;
    rig.platform.recover();
    rig.clock.advance(1_000);
  };

  it("when it continues, then shown items are delivered, unsent ones follow, and the lost one is never shown", async () => {
    await sendFirstPart({ r1: words("x", 60), r2: words("secret", 30), r3: words("z", 60) });
    goOn();
    await untilReleased("a");
    const texts = textsIn("a");
    expect(texts).toHaveLength(2);
    expect(texts[0]).toContain("x59");
    expect(texts[1]).toBe(words("z", 60));
    for (const id of ["r1", "r3"]) expect(await rig.ledger(id)).toEqual(["accepted"]);
    expect(await rig.deadLetters()).toEqual([]);
    expect([await shownIn("a", 0), await shownIn("a", 1)]).toEqual([[["r1", 1]], [["r3", undefined]]]);
  });

  it("when the rest waits for its platform, then people can already answer the messages that are shown (O14)", async () => {
    await sendFirstPart({ r1: words("x", 60), r3: words("z", 60) });
    expect(await shownIn("a", 0)).toEqual([["r1", 1]]);
  });

  it("when one item was shown in part, then its asker can send it again (D4)", async () => {
    await sendFirstPart({ r1: words("x", 150), r2: words("secret", 30) });
    goOn();
    const letters = await rig.untilDead(1);
    expect(letters).toMatchObject([{ id: expect.stringContaining("r1"), reason: expect.stringMatching(/^unknown: /) }]);
    await untilReleased("a");
    expect(textsIn("a").join()).not.toContain("secret");
    expect(await shownIn("a", 0)).toEqual([["r1", 1]]);
  });
});

describe("given a digest of several answers", () => {
  it("when it is shown, then each item can be explained, and an answer to it continues all of them (O13, O14)", async () => {
    const end = rig.clock.now() + MINUTE;
    const { adapter, shown } = watchedPaper();
    const targetsOn: RelayContext["targetsOn"] = async (_, { audience }) => [
      { conversation: audience.conversation, ...(rig.clock.now() < end && { holdUntil: end }) },
    ];
    await run({ targetsOn }, adapter);
    await say("r1", room("a"), "one");
    await say("r2", room("a"), "two");
    await untilHeld("a", 2);
    rig.clock.advance(MINUTE);
    await untilReleased("a");
    expect(shown[0]?.reply.actions).toEqual([
      { name: "why", label: "Why 1?", value: "r1" },
      { name: "why", label: "Why 2?", value: "r2" },
    ]);
    expect(await shownIn("a", 0)).toEqual([
      ["r1", 1],
      ["r2", 2],
    ]);
  });
});

describe("given a channel that renders anchors itself", () => {
  it("when a digest of several answers is sent, then each has its own anchor as data (D5, O10)", async () => {
    const shown: Delivery[] = [];
    const paper = rig.paper("repeats");
    const adapter: ChannelAdapter = {
      channel: paper.channel,
      capabilities: { ...paper.capabilities, anchorLength: ({ text }) => text.length },
      start: (inbox) => paper.start(inbox),
      stop: () => paper.stop(),
      deliver(delivery) {
        shown.push(delivery);
        return paper.deliver(delivery);
      },
    };
    await holdTwo(adapter);
    rig.platform.recover();
    rig.clock.advance(GATHER_MS);
    await untilReleased("a");
    expect(shown.at(-1)?.sections).toMatchObject([
      { number: 1, markdown: "**2 messages have waited for you.**", anchor: null },
      { number: 1, markdown: "**1.**\n\none", anchor: { text: '↳ Re: "ask r1"' } },
      { number: 2, markdown: "**2.**\n\ntwo", anchor: { text: '↳ Re: "ask r2"' } },
    ]);
    expect(shown.at(-1)?.anchor).toBeNull();
    expect(textsIn("a")).toEqual([expect.stringMatching(/↳ Re: "ask r1"[\s\S]*one\n\n↳ Re: "ask r2"[\s\S]*two$/)]);
  });
});

describe("given a gateway that was down for longer than 15 minutes (D5)", () => {
  it("when it starts again, then messages from the meantime arrive as one digest per conversation", async () => {
    const before = await run();
    await before.stop();
    for (const id of ["r1", "r2", "r3"]) await say(id, room("a"), `text ${id}`);
    await say("r4", room("b"), "for another");
    rig.clock.advance(16 * MINUTE);
    await run();
    await untilHeld("a", 3);
    await untilHeld("b", 1);
    rig.clock.advance(GATHER_MS);
    await untilNotes(2);
    expect(textsIn("a")).toEqual([expect.stringMatching(/text r1[\s\S]*text r2[\s\S]*text r3/)]);
    expect(textsIn("b")).toEqual(["for another"]);
  });

  it("when the channel has a log, then no digest is made", async () => {
    const channel = new LogChannel("log");
    const start = () => runChannel(rig.context, channel, "gateway");
    await (await start()).stop();
    for (const id of ["r1", "r2"]) await say(id, room("a", "log"), id);
    rig.clock.advance(16 * MINUTE);
    const running = await start();
    rig.closes(() => running.stop());
    expect((await channel.deliveries.count(2)).map(({ part }) => part.markdown)).toEqual(["r1", "r2"]);
  });
});

describe("given quiet hours (D2)", () => {
  const HOUR = 60 * MINUTE;
  /** Holds proactive messages until this moment, as the quiet hours in core do. */
  const quietUntil = (end: () => number): Partial<RelayContext> => ({
    targetsOn: async (_, { audience, correlationId }) => {
      const isHeld = correlationId === undefined && end() > rig.clock.now();
      return [{ conversation: audience.conversation, ...(isHeld && { holdUntil: end() }) }];
    },
  });

  it("when the channel has a log, then held messages are listed, and appended one by one when they end", async () => {
    const end = rig.clock.now() + 8 * HOUR;
    const channel = new LogChannel("log");
    await run(
      quietUntil(() => end),
      channel,
    );
    await say("r1", room("a", "log"), "one");
    await say("r2", room("a", "log"), "asked for", { correlationId: "m2" });
    await say("r3", room("a", "log"), "two");
    const texts = (deliveries: readonly Delivery[]) => deliveries.map(({ part }) => part.markdown);
    await rig.logger.lines.until((all) => all.filter(({ message }) => message.includes("held for quiet")).length === 2);
    expect(texts(channel.deliveries.items)).toEqual(["asked for"]);
    const listed = async () => (await readHeld(rig.backbone.store, room("a", "log"))).items;
    const held = {
      heldAt: isoTime(rig.clock.now()),
      notBefore: end,
      audience: { conversation: room("a", "log"), personId: null },
    };
    expect(await listed()).toEqual(
      ["r1", "r3"].map((id) => ({ id: `${id}/+log/-/+a/-`, replyId: id, summary: `ask ${id}`, ...held })),
    );
    rig.clock.advance(8 * HOUR);
    expect(texts(await channel.deliveries.count(3))).toEqual(["asked for", "one", "two"]);
    await expect.poll(listed).toEqual([]);
  });

  it("when they end, then held messages arrive in a digest; solicited replies were sent at once", async () => {
    const end = rig.clock.now() + 8 * HOUR;
    await run(quietUntil(() => end));
    await say("r1", room("a"), "one");
    await say("r2", room("a"), "asked for", { correlationId: "m2" });
    await say("r3", room("a"), "two");
    await untilNotes(1);
    await untilHeld("a", 2);
    expect(textsIn("a")).toEqual(["asked for"]);
    rig.clock.advance(8 * HOUR);
    await untilNotes(2);
    expect(textsIn("a")[1]).toMatch(/^\*\*2 messages[\s\S]*one[\s\S]*two/);
  });

  it("when the gateway restarts meanwhile, then messages are still held, and arrive once", async () => {
    const end = rig.clock.now() + 8 * HOUR;
    const first = await run(quietUntil(() => end));
    await say("r1", room("a"), "one");
    await say("r2", room("a"), "two");
    await untilHeld("a", 2);
    await first.stop();
    rig.clock.advance(4 * HOUR);
    await run(quietUntil(() => end));
    await say("r3", room("a"), "three");
    await untilHeld("a", 3);
    expect(textsIn("a")).toEqual([]);
    rig.clock.advance(4 * HOUR);
    await untilReleased("a");
    expect(textsIn("a")).toEqual([expect.stringMatching(/^\*\*3 messages/)]);
  });

  it("when the gateway is killed while it holds a message, and restarts after they end, then the message arrives", async () => {
    const end = rig.clock.now() + 500;
    let crashes = 1;
    const checkpoint = (name: string) => {
      if (name === "held.withdrawn" && crashes-- > 0) throw new Error("crashed");
    };
    await run({ ...quietUntil(() => end), checkpoint });
    await say("r1", room("a"), "one");
    await untilWaits(1_000);
    rig.clock.advance(1_000);
    await untilHeld("a", 1);
    rig.clock.advance(GATHER_MS);
    await untilNotes(1);
    expect(textsIn("a")).toEqual(["one"]);
  });

  it("when they are extended meanwhile, then held messages wait for the new end", async () => {
    let end = rig.clock.now() + 2 * HOUR;
    await run(quietUntil(() => end));
    await say("r1", room("a"), "one");
    await untilHeld("a", 1);
    end += 3 * HOUR;
    rig.clock.advance(2 * HOUR);
    await untilWaits(3 * HOUR);
    expect(textsIn("a")).toEqual([]);
    rig.clock.advance(3 * HOUR);
    await untilNotes(1);
    expect(textsIn("a")).toEqual(["one"]);
  });

  it("when the target has left the audience by then, then the message is not shown (D3)", async () => {
    const end = rig.clock.now() + 2 * HOUR;
    let isUnlinked = false;
    await run({ ...quietUntil(() => end), isStillTarget: async ({ id }) => !(isUnlinked && id === "r1") });
    await say("r1", room("a"), "secret");
    await say("r2", room("a"), "plain");
    await untilHeld("a", 2);
    isUnlinked = true;
    rig.clock.advance(2 * HOUR);
    await untilReleased("a");
    expect(textsIn("a")).toEqual(["plain"]);
  });
});
