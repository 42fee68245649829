import { beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { FromPerson } from "../../../core/contract/messages/user-message.ts";
import type { Audience } from "../../../core/contract/messages/work-context.ts";
import { readRepliedTo, resolveRepliedTo } from "../../../core/delivery/resolve-replied-to.ts";
import { type ContinuedWork, viewOfOrigins } from "../../../core/origin/continued-work.ts";
import { type PostedReply, putPosted } from "../../../core/origin/posted-message-index.ts";
import { notePlacement, readPlacedReply } from "../../../core/origin/reply-placements.ts";
import type { SessionHistory } from "../../../core/sessions/session-history.ts";
import type { HistoryEntry } from "../../../core/sessions/session-window.ts";
import { MemoryStore } from "../../adapters/web/memory-store.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { type MessageFields, sampleMessage } from "../../fakes/sample-message.ts";
import { sampleReply } from "../../fakes/sample-reply.ts";
import { sampleTurnEntry } from "../../fakes/sample-turn-entry.ts";
import { privateOn, roomOn, storePerson } from "./person-on-channels.ts";

const AT = "2026-03-10T21:00:00.000Z";
const origin = { channel: "a", promptSummary: "tides", startedAt: AT, sessionId: "s" };
const ref = { tenant: "default", agent: "mooring" };

let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore(new ManualClock(Date.parse(AT)));
});

const annsAt = (conversation: Conversation, more: Partial<Audience> = {}): Audience => ({
  conversation,
  personId: "p",
  accountId: "ann",
  membership: 3,
  ...more,
});
const record = (replyId: string, audience: Audience, more: Partial<PostedReply> = {}): PostedReply => ({
  replyId,
  origin,
  audience,
  sessionId: "s",
  turnId: "t2",
  rootTurnId: "t1",
  ...more,
});
const message = (conversation: Conversation, more: MessageFields = {}) =>
  sampleMessage({ ...ref, conversation, text: "and the second?", ...more });
const show = (conversation: Conversation, messageId: string, ...records: PostedReply[]) =>
  putPosted(store, { ...ref, conversation }, messageId, records);
const inThread = (thread: string): Conversation => ({ ...roomOn("a"), thread });

describe("given a posted proactive message, when a person replies to it (O14)", () => {
  const replyIds = async (one: FromPerson) => (await readRepliedTo(store, one)).map(({ replyId }) => replyId);

  it("then its work is found by the id of the posted message", async () => {
    await show(roomOn("a"), "post", record("r", annsAt(roomOn("a"))));
    expect(await replyIds(message(roomOn("a"), { replyTo: "post" }))).toEqual(["r"]);
    expect(await replyIds(message(roomOn("a"), { replyTo: "another" }))).toEqual([]);
    expect(await replyIds(message(roomOn("a")))).toEqual([]);
    expect(await replyIds(message(roomOn("b"), { replyTo: "post" }))).toEqual([]);
  });

  it("then its work is found from its thread, also by a reply that names the root of the thread", async () => {
    await show(roomOn("a"), "post", record("r", annsAt(roomOn("a"))));
    expect(await replyIds(message(inThread("post")))).toEqual(["r"]);
    expect(await replyIds(message(inThread("post"), { replyTo: "post" }))).toEqual(["r"]);
    expect(await replyIds(message(inThread("other"), { replyTo: "post" }))).toEqual(["r"]);
    expect(await replyIds(message(inThread("other")))).toEqual([]);
  });

  it("when a message inside the thread shows other work, then a reply to that message continues the other work", async () => {
    await show(roomOn("a"), "post", record("root", annsAt(roomOn("a"))));
    await show(inThread("post"), "inner", record("inner", annsAt(roomOn("a"))));
    expect(await replyIds(message(inThread("post"), { replyTo: "inner" }))).toEqual(["inner"]);
    await show(roomOn("a"), "beside", record("beside", annsAt(roomOn("a"))));
    expect(await replyIds(message(inThread("post"), { replyTo: "beside" }))).toEqual(["beside"]);
  });
});

describe("given a person who replies to it (O14, D3)", () => {
  const continued = async (one: FromPerson) =>
    (await resolveRepliedTo(store, one)).map(({ replyId, turns }) => `${replyId} ${turns}`);

  it("when its work began in this room, then everyone in the room may continue it and read the whole session", async () => {
    await show(roomOn("a"), "post", record("r", annsAt(roomOn("a"))));
    const bob = { account: { id: "bob", name: "Bob" }, replyTo: "post" };
    expect(await continued(message(roomOn("a"), bob))).toEqual(["r all"]);
  });

  it("when its work began elsewhere, then a room gets none of its context", async () => {
    await storePerson(store, ["a", "b"]);
    await show(roomOn("a"), "post", record("r", annsAt(roomOn("a", "other"))), record("q", annsAt(privateOn("a"))));
    expect(await continued(message(roomOn("a"), { replyTo: "post" }))).toEqual([]);
    await show(roomOn("a"), "odd", record("r", annsAt({ ...roomOn("a"), kind: "private" })));
    expect(await continued(message(roomOn("a"), { replyTo: "odd" }))).toEqual([]);
  });

  it("when the asker replies in private with the account that asked in private, then the whole session may be read", async () => {
    await storePerson(store, ["a", "b"]);
    await show(privateOn("a"), "post", record("r", annsAt(privateOn("a"))));
    expect(await continued(message(privateOn("a"), { replyTo: "post" }))).toEqual(["r all"]);
  });

  it("when they reply with another account, or the work began in a room, then only the turns of this work may be read", async () => {
    await storePerson(store, ["a", "b"]);
    await show(privateOn("b"), "post", record("r", annsAt(privateOn("a"))), record("q", annsAt(roomOn("b"))));
    expect(await continued(message(privateOn("b"), { replyTo: "post" }))).toEqual(["r t1,t2", "q t1,t2"]);
    await show(privateOn("a"), "post", record("r", annsAt(privateOn("a"), { accountId: "ann-2" })));
    await storePerson(store, ["a"], {
      accounts: ["ann", "ann-2"].map((accountId) => ({ channel: "a", accountId, name: "Ann", since: AT, joined: 1 })),
    });
    expect(await continued(message(privateOn("a"), { replyTo: "post" }))).toEqual(["r t1,t2"]);
  });

  it("when it belongs to another person, then the message continues no work", async () => {
    await storePerson(store, ["a", "b"]);
    await show(privateOn("b"), "post", record("r", annsAt(privateOn("x"), { personId: "q", accountId: "bob" })));
    expect(await continued(message(privateOn("b"), { replyTo: "post" }))).toEqual([]);
  });

  it("when they reply to a digest, then the message continues all permitted items, with their numbers", async () => {
    await show(
      roomOn("a"),
      "post",
      record("r1", annsAt(roomOn("a")), { number: 1 }),
      record("r2", annsAt(roomOn("z")), { number: 2 }),
      record("r3", annsAt(roomOn("a")), { number: 3, sessionId: null }),
    );
    expect(await resolveRepliedTo(store, message(roomOn("a"), { replyTo: "post" }))).toEqual([
      { replyId: "r1", origin, number: 1, sessionId: "s", turns: "all" },
      { replyId: "r3", origin, number: 3, sessionId: null, turns: "all" },
    ]);
  });

  it("when an older version stored no turns, then only the origin may be read", async () => {
    await storePerson(store, ["a", "b"]);
    const { turnId: _, rootTurnId: __, ...older } = record("r", annsAt(privateOn("a")));
    await show(privateOn("b"), "post", older);
    expect(await continued(message(privateOn("b"), { replyTo: "post" }))).toEqual(["r "]);
  });
});

describe("given work that continues in another conversation, when its turn reads the origin session (O14)", () => {
  const turn = (turnId: string, text: string, finalText: string): HistoryEntry => ({
    ...sampleTurnEntry(turnId),
    text,
    finalText,
  });
  const said = (markdown: string): HistoryEntry => ({ kind: "said", replyId: "r", at: AT, markdown, origin });
  const work = (more: Partial<ContinuedWork> = {}): ContinuedWork => ({
    replyId: "r",
    origin,
    sessionId: "s",
    turns: "all",
    ...more,
  });
  const view = (entries: readonly HistoryEntry[], summary: string, ...works: ContinuedWork[]) => {
    const history = { window: async () => ({ entries, summary }) } as unknown as SessionHistory;
    return viewOfOrigins(history, works);
  };
  const entries = [turn("t1", "tides?", "high"), turn("t9", "lunch?", "soup"), said("low by now")];

  it("when the whole session may be read, then its entries and its summary are quoted", async () => {
    expect((await view(entries, "they spoke of boats", work())).split("\n\n")).toEqual([
      expect.stringMatching(/^The person's message replies to a message of yours about work .*"tides"\. Continue/),
      "Before that: they spoke of boats",
      "Person: tides?\nYou: high",
      "Person: lunch?\nYou: soup",
      "You, later: low by now",
    ]);
  });

  it("when only its own turns may be read, then only those are quoted", async () => {
    const text = await view(entries, "they spoke of boats", work({ turns: ["t1"] }));
    expect(text).toContain("tides?");
    for (const other of ["boats", "Before that", "lunch", "low by now"]) expect(text).not.toContain(other);
  });

  it("when the history is no longer stored, then the prompt says so", async () => {
    expect(await view([], "", work())).toMatch(/only read:\n\n\(the history is no longer stored\)$/);
    expect(await view(entries, "boats", work({ sessionId: null }))).toMatch(/\(the history is no longer stored\)$/);
  });

  it("when the history is too long, then the newest entries are quoted and long texts are cut", async () => {
    const long = "x".repeat(5_000);
    const many = Array.from({ length: 8 }, (_, n) => turn(`t${n}`, `${n}?`, long));
    const text = await view(many, long, work());
    expect(text).toContain(`You: ${"x".repeat(2_000)}…`);
    expect(text).not.toContain("x".repeat(2_001));
    expect([...text.matchAll(/Person: (\d)/g)].map(([, n]) => n)).toEqual(["4", "5", "6", "7"]);
    const withoutSummary = await view(many, "", work());
    expect([...withoutSummary.matchAll(/Person: (\d)/g)].map(([, n]) => n)).toEqual(["3", "4", "5", "6", "7"]);
  });

  it("when a text is exactly as long as is quoted, then it is not cut", async () => {
    expect(await view([turn("t1", "?", "x".repeat(2_000))], "", work())).not.toContain("…");
  });

  it("when a digest is answered, then the turn learns that it is one of several, and they share the room", async () => {
    const many = Array.from({ length: 8 }, (_, n) => turn(`t${n}`, `${n}?`, "x".repeat(1_400)));
    const text = await view(many, "", work({ number: 1 }), work({ number: 2 }));
    expect(text).toMatch(
      /^The person's message replies to a message of yours that showed several results.*ask them before/,
    );
    expect(text).toMatch(/\n\nMessage 1 is about work/);
    expect(text).toMatch(/\n\nMessage 2 is about work/);
    expect([...text.matchAll(/Person: (\d)/g)].map(([, n]) => n)).toEqual(["4", "5", "6", "7", "4", "5", "6", "7"]);
    expect(await view(many, "", work())).not.toContain("showed several results");
    expect(await view(many, "")).toBe("");
  });
});

describe("given a reply that is shown in several conversations (O13)", () => {
  const reply = { ...sampleReply("r", roomOn("a"), "words"), origin };
  const rooms = async () =>
    (await readPlacedReply(store, { ...ref, replyId: "r" }))?.places.map(
      ({ conversation, at }) => `${conversation.room} ${at}`,
    );

  it("then each placement is stored once, with its first time", async () => {
    expect(await rooms()).toBeUndefined();
    await notePlacement(store, reply, roomOn("a"), AT);
    await notePlacement(store, reply, privateOn("b"), AT);
    const writes = store.writes.length;
    await notePlacement(store, reply, roomOn("a"), "2026-03-11T00:00:00.000Z");
    expect(await rooms()).toEqual([`harbour ${AT}`, `dm ${AT}`]);
    expect(store.writes.length).toBe(writes);
  });

  it("when two placements are stored at the same time, then both remain", async () => {
    await Promise.all([notePlacement(store, reply, roomOn("a"), AT), notePlacement(store, reply, privateOn("b"), AT)]);
    expect((await rooms())?.toSorted()).toEqual([`dm ${AT}`, `harbour ${AT}`]);
  });

  it("then its cause is stored with it, and a failing store is not treated as a race", async () => {
    const asker = { personId: "p", accountId: "ann", name: "Ann" };
    const cause = { turnId: "t", rootTurnId: "t", asker, trigger: "task", steps: [] };
    await notePlacement(store, { ...reply, cause }, roomOn("a"), AT);
    expect(await readPlacedReply(store, { ...ref, replyId: "r" })).toMatchObject({ cause, origin, sessionId: "s-1" });
    store.before = (operation) => {
      if (operation === "put") throw new Error("disk full");
    };
    await expect(notePlacement(store, reply, privateOn("b"), AT)).rejects.toThrow("disk full");
  });
});
