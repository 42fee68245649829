import { beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import type { Account } from "../../../core/contract/messages/user-message.ts";
import { joinPeople } from "../../../core/people/linking/join-people.ts";
import { resolveAsker } from "../../../core/people/resolve-asker.ts";
import { MemoryStore } from "../../adapters/web/memory-store.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { userMessage } from "../core-under-test.ts";

let clock: ManualClock;
let store: MemoryStore;
beforeEach(() => {
  clock = new ManualClock();
  store = new MemoryStore(clock);
});

const dm = (channel: string, thread?: string): Conversation => ({
  channel,
  room: "dm",
  kind: "private",
  ...(thread !== undefined && { thread }),
});
const write = (conversation: Conversation, account: Partial<Account> = {}) =>
  resolveAsker(
    { store, clock },
    userMessage("m", "hi", { conversation, account: { id: "ann", name: "Ann", ...account } }),
  );
const side = (channel: string) => ({
  channel,
  accountId: "ann",
  name: "Ann",
  agent: "mooring",
  conversation: dm(channel),
  confirmed: true,
});
const link = () =>
  joinPeople(store, { linkId: "l", tenant: "default", sides: [side("web"), side("slack")], now: clock.now() });

describe("given a person who writes", () => {
  it("when it is in private, then only the first message causes a write", async () => {
    for (let index = 0; index < 3; index++) await write(dm("web"));
    expect(store.writes).toEqual(["people"]);
  });

  it("when it is in a shared room, then nothing is written", async () => {
    const person = await write({ channel: "web", room: "harbour", kind: "shared" });
    expect([store.writes, person.surfaces]).toEqual([[], []]);
  });

  it("when they switch to their other account, then that is written once and becomes the last active conversation", async () => {
    await write(dm("web"));
    await write(dm("slack"));
    await link();
    const before = store.writes.length;
    for (const channel of ["slack", "slack", "slack"]) await write(dm(channel));
    const person = await write(dm("web"));
    expect(store.writes.length - before).toBe(2);
    expect(person.lastActive).toBe(conversationKey(dm("web")));
    expect(person.surfaces).toHaveLength(2);
  });

  it("when a private room has threads, then it is one surface, with the thread of the last message", async () => {
    await write(dm("slack", "one"));
    const person = await write(dm("slack", "two"));
    expect(person.surfaces.map(({ conversation }) => conversation.thread)).toEqual(["two"]);
  });

  it("when their platform reports a time zone, then it stays stored when later messages leave it out", async () => {
    await write(dm("web"));
    await write(dm("web"), { timeZone: "Europe/Berlin", locale: "de" });
    const person = await write(dm("web"));
    expect(person.accounts).toMatchObject([{ timeZone: "Europe/Berlin", locale: "de" }]);
    expect(store.writes).toHaveLength(2);
  });
});
