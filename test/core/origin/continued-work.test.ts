import { afterEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { putPosted, readPosted } from "../../../core/origin/posted-message-index.ts";
import { unlinkedPersonId } from "../../../core/people/person-record.ts";
import { readHistory } from "../../../core/sessions/session-history.ts";
import { turnIdOf } from "../../../core/turns/record/turn-records.ts";
import { AGENT, CoreUnderTest as Core, type CoreUnderTest } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const ref = { tenant: "default", agent: AGENT };
const here: Conversation = { channel: "web", room: "room-1", kind: "private" };
const elsewhere: Conversation = { channel: "web", room: "room-2", kind: "private" };
const lobby: Conversation = { channel: "web", room: "lobby", kind: "shared" };

/** Ann asks in one conversation; later the answer is shown in another. */
const shownAt = async (asked: Conversation, shown: Conversation, messageId: string) => {
  core = await Core.start((_request, number) => (number === 1 ? "I will look into the tides" : `answer ${number}`));
  const { sessionId, origin, audience } = await core.ask("m-1", "research the tides", { conversation: asked });
  if (origin === null) throw new Error("a final has an origin");
  const rootTurnId = turnIdOf({ ...ref, id: "m-1" });
  const record = { replyId: "t-9/final", origin, audience, sessionId, rootTurnId };
  await putPosted(core.backbone.store, { ...ref, conversation: shown }, messageId, [record]);
  return sessionId ?? "";
};
const system = () => core.model.requests.items.at(-1)?.system ?? "";

describe("given a proactive message in another conversation than its origin (O14)", () => {
  it("when its asker replies to it, then the turn runs here and can read the origin session", async () => {
    const originSession = await shownAt(here, elsewhere, "note-7");
    const reply = await core.ask("m-2", "and at noon?", { conversation: elsewhere, replyTo: "note-7" });
    expect(system()).toContain("research the tides");
    expect(system()).toContain("I will look into the tides");
    expect(core.model.requests.items.at(-1)?.messages).toMatchObject([{ role: "user", text: "and at noon?" }]);
    expect(reply.sessionId).not.toBe(originSession);
    expect(reply.audience.conversation).toEqual(elsewhere);
    expect(reply.origin).toMatchObject({ promptSummary: "and at noon?", sessionId: reply.sessionId });
  });

  it("when its asker replies to it, then nothing is written to the origin session", async () => {
    const originSession = await shownAt(here, elsewhere, "note-7");
    const before = await readHistory(core.backbone.store, originSession, 0);
    const { sessionId } = await core.ask("m-2", "and at noon?", { conversation: elsewhere, replyTo: "note-7" });
    expect(await readHistory(core.backbone.store, originSession, 0)).toEqual(before);
    const local = await readHistory(core.backbone.store, sessionId ?? "", 0);
    expect(JSON.stringify(local)).not.toContain("research the tides");
  });

  it("when the next message is not a reply to it, then that turn does not see the origin session", async () => {
    await shownAt(here, elsewhere, "note-7");
    await core.ask("m-2", "and at noon?", { conversation: elsewhere, replyTo: "note-7" });
    await core.ask("m-3", "hello", { conversation: elsewhere });
    expect(system()).not.toContain("research the tides");
  });

  it("when a person writes in its thread, then that is a reply to it", async () => {
    await shownAt(lobby, lobby, "note-7");
    await core.ask("m-2", "and at noon?", { conversation: { ...lobby, thread: "note-7" } });
    expect(system()).toContain("I will look into the tides");
    await core.ask("m-3", "hello", { conversation: { ...lobby, thread: "note-8" } });
    expect(system()).not.toContain("I will look into the tides");
  });

  it("when another person in the same room replies to it, then they are in its audience", async () => {
    await shownAt(lobby, lobby, "note-7");
    const bob = { id: "bob", name: "Bob" };
    await core.ask("m-2", "and at noon?", { conversation: { ...lobby, thread: "t" }, account: bob, replyTo: "note-7" });
    expect(system()).toContain("I will look into the tides");
  });

  it("when its work began in a room and its asker replies in private, then the turn reads nothing else of the room", async () => {
    await shownAt(lobby, elsewhere, "note-7");
    await core.ask("m-9", "the harbour is closed", { conversation: lobby, account: { id: "bob", name: "Bob" } });
    await core.ask("m-0", "hello", { conversation: elsewhere });
    await core.ask("m-2", "and at noon?", { conversation: elsewhere, replyTo: "note-7" });
    expect(system()).toContain("I will look into the tides");
    expect(system()).not.toContain("the harbour is closed");
  });

  it("when a person outside its audience replies to it, then the reply is an ordinary message", async () => {
    await shownAt(here, elsewhere, "note-7");
    const bob = { id: "bob", name: "Bob" };
    await core.ask("m-2", "and at noon?", { conversation: elsewhere, account: bob, replyTo: "note-7" });
    expect(system()).not.toContain("research the tides");
  });

  it("when the reply is in a shared conversation, then the turn does not read the private session", async () => {
    await shownAt(here, lobby, "note-7");
    await core.ask("m-2", "and at noon?", { conversation: lobby, replyTo: "note-7" });
    expect(system()).not.toContain("research the tides");
  });

  it("when the id is from another conversation, then it is not found", async () => {
    await shownAt(here, elsewhere, "note-7");
    await core.ask("m-2", "and at noon?", { conversation: { ...elsewhere, room: "room-3" }, replyTo: "note-7" });
    expect(system()).not.toContain("research the tides");
  });

  it("when the origin session is long, then the prompt has a bounded part with the latest entries", async () => {
    await shownAt(here, elsewhere, "note-7");
    for (let number = 0; number < 12; number++) await core.ask(`long-${number}`, `${number} ${"x".repeat(3_000)}`);
    await core.ask("m-2", "and at noon?", { conversation: elsewhere, replyTo: "note-7" });
    expect(system().length).toBeLessThan(14_000);
    expect(system()).toContain("Person: 11 x");
    expect(system()).not.toContain("Person: 2 x");
  });

  it("when the origin session has expired, then the turn still runs", async () => {
    core = await Core.start(["fine"]);
    const personId = unlinkedPersonId("default", "web", "ann");
    const origin = {
      channel: "web",
      promptSummary: "expired",
      startedAt: "2026-03-01T00:00:00.000Z",
      sessionId: "s-expired",
    };
    const record = { replyId: "t-9/final", origin, audience: { conversation: here, personId }, sessionId: "s-expired" };
    await putPosted(core.backbone.store, { ...ref, conversation: here }, "note-7", [record]);
    expect(await core.ask("m-1", "and?", { replyTo: "note-7" })).toMatchObject({ markdown: "fine" });
    expect(system()).toContain("the history is no longer stored");
  });
});

describe("given a digest of several proactive messages (O14)", () => {
  /** Ann asks in two conversations; later a third one shows both answers in a digest. */
  const shownTogether = async (conversations: readonly [Conversation, Conversation]) => {
    core = await Core.start((_request, number) => ["about the tides", "about the harbour"][number - 1] ?? "fine");
    const prompts = ["research the tides", "watch the harbour"] as const;
    const records = [];
    for (const [index, conversation] of conversations.entries()) {
      const id = `m-${index}`;
      const { sessionId, origin, audience } = await core.ask(id, prompts[index] ?? "", { conversation });
      if (origin === null) throw new Error("a final has an origin");
      const rootTurnId = turnIdOf({ ...ref, id });
      records.push({ replyId: `t-${index}/final`, origin, audience, sessionId, rootTurnId, number: index + 1 });
    }
    await putPosted(core.backbone.store, { ...ref, conversation: elsewhere }, "note-7", records);
    return records.map(({ sessionId }) => sessionId ?? "");
  };
  const another: Conversation = { channel: "web", room: "room-3", kind: "private" };

  it("when a person replies to it, then the prompt has each work by its number and says that one is meant", async () => {
    await shownTogether([here, another]);
    const reply = await core.ask("m-9", "more of 2", { conversation: elsewhere, replyTo: "note-7" });
    expect(system()).toContain("showed several results, each with a number");
    expect(system()).toMatch(
      /Message 1 is about [\s\S]*about the tides[\s\S]*Message 2 is about [\s\S]*about the harbour/,
    );
    expect(reply.audience.conversation).toEqual(elsewhere);
    expect(reply.origin).toMatchObject({ promptSummary: "more of 2", sessionId: reply.sessionId });
  });

  it("when a person replies to it, then nothing is written to the origin sessions", async () => {
    const sessions = await shownTogether([here, another]);
    const histories = () => Promise.all(sessions.map((id) => readHistory(core.backbone.store, id, 0)));
    const before = await histories();
    await core.ask("m-9", "more of 2", { conversation: elsewhere, replyTo: "note-7" });
    expect(await histories()).toEqual(before);
  });

  it("when the person may continue only one of them, then the prompt has nothing of the other", async () => {
    await shownTogether([here, another]);
    const inLobby = { ...ref, conversation: lobby };
    const [first, second] = await readPosted(core.backbone.store, { ...ref, conversation: elsewhere }, "note-7");
    const { audience } = await core.ask("m-5", "the news?", { conversation: lobby });
    if (!first || !second) throw new Error("both were shown");
    // The second began in the room, the first in private, so others in the room may continue only the second.
    await putPosted(core.backbone.store, inLobby, "note-8", [first, { ...second, audience }]);
    const bob = { id: "bob", name: "Bob" };
    await core.ask("m-9", "more of 1", { conversation: lobby, account: bob, replyTo: "note-8" });
    expect(system()).toContain("about the harbour");
    expect(system()).not.toContain("tides");
    expect(system()).not.toContain("showed several results");
  });
});
