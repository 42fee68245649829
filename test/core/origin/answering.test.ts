import { afterEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { putPosted, readPosted } from "../../../core/origin/posted-message-index.ts";
import { unlinkedPersonId } from "../../../core/people/person-record.ts";
import { readHistory } from "../../../core/sessions/session-history.ts";
import { turnIdOf } from "../../../core/turns/turn-records.ts";
import { AGENT, CoreUnderTest as Core, type CoreUnderTest } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const place = { tenant: "default", agent: AGENT };
const here: Conversation = { channel: "web", room: "room-1", kind: "private" };
const elsewhere: Conversation = { channel: "web", room: "room-2", kind: "private" };
const lobby: Conversation = { channel: "web", room: "lobby", kind: "shared" };

/** Ann asks something at one place; later its answer is shown at another. */
const shownAt = async (asked: Conversation, shown: Conversation, messageId: string) => {
  core = await Core.start((_request, number) => (number === 1 ? "I will look into the tides" : `answer ${number}`));
  const { sessionId, origin, audience } = await core.ask("m-1", "research the tides", { conversation: asked });
  if (origin === null) throw new Error("a final has an origin");
  const rootTurnId = turnIdOf({ ...place, id: "m-1" });
  const record = { replyId: "t-9/final", origin, audience, sessionId, rootTurnId };
  await putPosted(core.backbone.store, { ...place, conversation: shown }, messageId, [record]);
  return sessionId ?? "";
};
const system = () => core.model.requests.items.at(-1)?.system ?? "";

describe("given an unsolicited answer, shown elsewhere than where the work began (O14)", () => {
  it("when its asker answers it, then the turn runs here and can read what was said there", async () => {
    const originSession = await shownAt(here, elsewhere, "note-7");
    const reply = await core.ask("m-2", "and at noon?", { conversation: elsewhere, replyTo: "note-7" });
    expect(system()).toContain("research the tides");
    expect(system()).toContain("I will look into the tides");
    expect(core.model.requests.items.at(-1)?.messages).toEqual([{ role: "user", text: "and at noon?" }]);
    expect(reply.sessionId).not.toBe(originSession);
    expect(reply.audience.conversation).toEqual(elsewhere);
    expect(reply.origin).toMatchObject({ promptSummary: "and at noon?", sessionId: reply.sessionId });
  });

  it("when it was answered, then nothing was written to the session where the work began", async () => {
    const originSession = await shownAt(here, elsewhere, "note-7");
    const before = await readHistory(core.backbone.store, originSession, 0);
    const { sessionId } = await core.ask("m-2", "and at noon?", { conversation: elsewhere, replyTo: "note-7" });
    expect(await readHistory(core.backbone.store, originSession, 0)).toEqual(before);
    const local = await readHistory(core.backbone.store, sessionId ?? "", 0);
    expect(JSON.stringify(local)).not.toContain("research the tides");
  });

  it("when the next message does not answer it, then that turn no longer sees it", async () => {
    await shownAt(here, elsewhere, "note-7");
    await core.ask("m-2", "and at noon?", { conversation: elsewhere, replyTo: "note-7" });
    await core.ask("m-3", "hello", { conversation: elsewhere });
    expect(system()).not.toContain("research the tides");
  });

  it("when somebody writes in a thread that hangs on it, then that is an answer to it", async () => {
    await shownAt(lobby, lobby, "note-7");
    await core.ask("m-2", "and at noon?", { conversation: { ...lobby, thread: "note-7" } });
    expect(system()).toContain("I will look into the tides");
    await core.ask("m-3", "hello", { conversation: { ...lobby, thread: "note-8" } });
    expect(system()).not.toContain("I will look into the tides");
  });

  it("when another person in the same room answers it, then they are in its audience", async () => {
    await shownAt(lobby, lobby, "note-7");
    const bob = { id: "bob", name: "Bob" };
    await core.ask("m-2", "and at noon?", { conversation: { ...lobby, thread: "t" }, account: bob, replyTo: "note-7" });
    expect(system()).toContain("I will look into the tides");
  });

  it("when it began in a room and its asker answers it in private, then they go on with it, and read nothing else of the room", async () => {
    await shownAt(lobby, elsewhere, "note-7");
    await core.ask("m-9", "the harbour is closed", { conversation: lobby, account: { id: "bob", name: "Bob" } });
    await core.ask("m-0", "hello", { conversation: elsewhere });
    await core.ask("m-2", "and at noon?", { conversation: elsewhere, replyTo: "note-7" });
    expect(system()).toContain("I will look into the tides");
    expect(system()).not.toContain("the harbour is closed");
  });

  it("when somebody who is not in its audience answers it, then it is a message like any other", async () => {
    await shownAt(here, elsewhere, "note-7");
    const bob = { id: "bob", name: "Bob" };
    await core.ask("m-2", "and at noon?", { conversation: elsewhere, account: bob, replyTo: "note-7" });
    expect(system()).not.toContain("research the tides");
  });

  it("when the answer is given where others read along, then they learn nothing of it", async () => {
    await shownAt(here, lobby, "note-7");
    await core.ask("m-2", "and at noon?", { conversation: lobby, replyTo: "note-7" });
    expect(system()).not.toContain("research the tides");
  });

  it("when the id is one of another conversation, then it is not found", async () => {
    await shownAt(here, elsewhere, "note-7");
    await core.ask("m-2", "and at noon?", { conversation: { ...elsewhere, room: "room-3" }, replyTo: "note-7" });
    expect(system()).not.toContain("research the tides");
  });

  it("when much was said there, then what is shown of it is bounded, and the latest is in it", async () => {
    await shownAt(here, elsewhere, "note-7");
    for (let number = 0; number < 12; number++) await core.ask(`long-${number}`, `${number} ${"x".repeat(3_000)}`);
    await core.ask("m-2", "and at noon?", { conversation: elsewhere, replyTo: "note-7" });
    expect(system().length).toBeLessThan(14_000);
    expect(system()).toContain("Person: 11 x");
    expect(system()).not.toContain("Person: 2 x");
  });

  it("when nothing of the session is left, then the turn runs all the same", async () => {
    core = await Core.start(["fine"]);
    const personId = unlinkedPersonId("default", "web", "ann");
    const origin = {
      channel: "web",
      promptSummary: "gone",
      startedAt: "2026-03-01T00:00:00.000Z",
      sessionId: "s-gone",
    };
    const record = { replyId: "t-9/final", origin, audience: { conversation: here, personId }, sessionId: "s-gone" };
    await putPosted(core.backbone.store, { ...place, conversation: here }, "note-7", [record]);
    expect(await core.ask("m-1", "and?", { replyTo: "note-7" })).toMatchObject({ markdown: "fine" });
    expect(system()).toContain("nothing of it is kept");
  });
});

describe("given a digest of several unsolicited answers, shown in one message (O14)", () => {
  /** Ann asks two things at two places; later their answers are shown together at a third. */
  const shownTogether = async (places: readonly [Conversation, Conversation]) => {
    core = await Core.start((_request, number) => ["about the tides", "about the harbour"][number - 1] ?? "fine");
    const prompts = ["research the tides", "watch the harbour"] as const;
    const records = [];
    for (const [index, conversation] of places.entries()) {
      const id = `m-${index}`;
      const { sessionId, origin, audience } = await core.ask(id, prompts[index] ?? "", { conversation });
      if (origin === null) throw new Error("a final has an origin");
      const rootTurnId = turnIdOf({ ...place, id });
      records.push({ replyId: `t-${index}/final`, origin, audience, sessionId, rootTurnId, number: index + 1 });
    }
    await putPosted(core.backbone.store, { ...place, conversation: elsewhere }, "note-7", records);
    return records.map(({ sessionId }) => sessionId ?? "");
  };
  const another: Conversation = { channel: "web", room: "room-3", kind: "private" };

  it("when it is answered, then the turn can read of each, by its number, and knows that it must choose", async () => {
    await shownTogether([here, another]);
    const reply = await core.ask("m-9", "more of 2", { conversation: elsewhere, replyTo: "note-7" });
    expect(system()).toContain("showed several messages, each with its number");
    expect(system()).toMatch(
      /Message 1 is about [\s\S]*about the tides[\s\S]*Message 2 is about [\s\S]*about the harbour/,
    );
    expect(reply.audience.conversation).toEqual(elsewhere);
    expect(reply.origin).toMatchObject({ promptSummary: "more of 2", sessionId: reply.sessionId });
  });

  it("when it was answered, then nothing was written to any of the sessions where the work began", async () => {
    const sessions = await shownTogether([here, another]);
    const histories = () => Promise.all(sessions.map((id) => readHistory(core.backbone.store, id, 0)));
    const before = await histories();
    await core.ask("m-9", "more of 2", { conversation: elsewhere, replyTo: "note-7" });
    expect(await histories()).toEqual(before);
  });

  it("when the answerer may go on with one of them only, then nothing of the other is in the turn", async () => {
    await shownTogether([here, another]);
    const place7 = { ...place, conversation: lobby };
    const [first, second] = await readPosted(core.backbone.store, { ...place, conversation: elsewhere }, "note-7");
    const { audience } = await core.ask("m-5", "the news?", { conversation: lobby });
    if (!first || !second) throw new Error("both were shown");
    // The second began in the room, the first in private: only the second is everybody's there.
    await putPosted(core.backbone.store, place7, "note-8", [first, { ...second, audience }]);
    const bob = { id: "bob", name: "Bob" };
    await core.ask("m-9", "more of 1", { conversation: lobby, account: bob, replyTo: "note-8" });
    expect(system()).toContain("about the harbour");
    expect(system()).not.toContain("tides");
    expect(system()).not.toContain("showed several messages");
  });
});
