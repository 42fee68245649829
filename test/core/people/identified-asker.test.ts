import { beforeEach, describe, expect, it } from "vitest";
import { joinPeople } from "../../../core/people/linking/join-people.ts";
import { resolveAsker, resolvedAsker } from "../../../core/people/resolve-asker.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { MemoryStore } from "../../fakes/memory-store.ts";
import { sampleMessage } from "../../fakes/sample-message.ts";

let clock: ManualClock;
let store: MemoryStore;
beforeEach(() => {
  clock = new ManualClock();
  store = new MemoryStore();
});

const message = (channel: string, id: string, anonymous: boolean) =>
  sampleMessage({
    conversation: { channel, room: id, kind: "private" as const },
    account: { id, name: id, ...(anonymous && { anonymous }) },
  });
const isIdentified = async (channel: string, id: string, anonymous: boolean) => {
  const said = message(channel, id, anonymous);
  return resolvedAsker(await resolveAsker({ store, clock }, said), said).isIdentified;
};
const link = (a: [string, string], b: [string, string]) => {
  const [first, second] = [a, b].map(([channel, accountId]) => ({
    channel,
    accountId,
    name: accountId,
    agent: "mooring",
    conversation: { channel, room: accountId, kind: "private" as const },
    confirmed: true,
  }));
  if (first === undefined || second === undefined) throw new Error("a link has two sides");
  return joinPeople(store, { linkId: `${a}${b}`, tenant: "default", sides: [first, second], now: clock.now() });
};

describe("given a visitor whom the channel cannot identify (R1)", () => {
  it("when they write, then they are anonymous", async () => {
    expect(await isIdentified("web", "v1", true)).toBe(false);
    expect(await isIdentified("slack", "U1", false)).toBe(true);
  });

  it("when they link another anonymous account, then both stay anonymous, also before they write again", async () => {
    await isIdentified("web", "v1", true);
    await isIdentified("cli", "v2", true);
    expect(await link(["web", "v1"], ["cli", "v2"])).toBe("joined");
    expect(await isIdentified("web", "v1", true)).toBe(false);
    expect(await isIdentified("cli", "v2", true)).toBe(false);
  });

  it("when they link an account that a platform identifies, then they count as a member", async () => {
    await isIdentified("web", "v1", true);
    await isIdentified("slack", "U1", false);
    await link(["web", "v1"], ["slack", "U1"]);
    expect(await isIdentified("web", "v1", true)).toBe(true);
  });

  it("when they link an account that has never written, then nothing identifies them", async () => {
    await isIdentified("web", "v1", true);
    await link(["web", "v1"], ["slack", "U9"]);
    expect(await isIdentified("web", "v1", true)).toBe(false);
  });
});
