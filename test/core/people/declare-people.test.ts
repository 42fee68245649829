import { beforeEach, describe, expect, it } from "vitest";
import { declaredId, declarePeople } from "../../../core/people/declare-people.ts";
import { joinPeople } from "../../../core/people/linking/join-people.ts";
import { findPerson } from "../../../core/people/person-record.ts";
import { resolveAsker } from "../../../core/people/resolve-asker.ts";
import { MemoryStore } from "../../adapters/web/memory-store.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { userMessage } from "../core-under-test.ts";

const tenant = "default";
let clock: ManualClock;
let store: MemoryStore;
beforeEach(() => {
  clock = new ManualClock();
  store = new MemoryStore(clock);
});

const declare = (people: Record<string, Record<string, string>>) =>
  declarePeople(
    store,
    tenant,
    Object.entries(people).map(([name, accounts]) => ({
      tenant,
      name,
      accounts: Object.entries(accounts).map(([channel, accountId]) => ({ channel, accountId })),
    })),
    clock.now(),
  );
const personAt = async (channel: string, accountId: string) =>
  (await findPerson(store, { tenant, channel, accountId })).person;
const write = (channel: string, id: string) =>
  resolveAsker(
    { store, clock },
    userMessage("m", "hi", { conversation: { channel, room: id, kind: "private" }, account: { id, name: id } }),
  );
const side = (channel: string, accountId: string) => ({
  channel,
  accountId,
  name: accountId,
  agent: "mooring",
  conversation: { channel, room: accountId, kind: "private" as const },
  confirmed: true,
});

describe("given people that the configuration declares (I1)", () => {
  it("when core starts, then their accounts are one person, and the next start writes nothing", async () => {
    await declare({ Ada: { web: "ada", slack: "U1" } });
    expect((await personAt("web", "ada")).id).toBe(declaredId(tenant, "Ada"));
    expect((await personAt("slack", "U1")).id).toBe(declaredId(tenant, "Ada"));
    const before = store.writes.length;
    await declare({ Ada: { web: "ada", slack: "U1" } });
    expect(store.writes.length).toBe(before);
  });

  it("when an account was known before, then its surfaces join and leave with it", async () => {
    await write("web", "ada");
    await declare({ Ada: { web: "ada", slack: "U1" } });
    expect((await personAt("slack", "U1")).surfaces).toMatchObject([{ accountId: "ada" }]);
    await declare({ Ada: { slack: "U1" } });
    expect((await personAt("slack", "U1")).surfaces).toEqual([]);
    expect(await personAt("web", "ada")).toMatchObject({ membership: 0, surfaces: [{ accountId: "ada" }] });
  });

  it("when an account is added later, then it sees only work from then on (D3)", async () => {
    await declare({ Ada: { web: "ada" } });
    const { membership } = await write("web", "ada");
    await declare({ Ada: { web: "ada", slack: "U1" } });
    const joined = (await personAt("slack", "U1")).accounts.find(({ accountId }) => accountId === "U1")?.joined;
    expect(joined).toBeGreaterThan(membership);
  });

  it("when an account moves to another person, or its person is removed, then it belongs to no other person", async () => {
    await declare({ Ada: { web: "x" }, Bea: { slack: "U2" } });
    await declare({ Bea: { slack: "U2", web: "x" } });
    expect((await personAt("web", "x")).id).toBe(declaredId(tenant, "Bea"));
    await declare({});
    expect((await personAt("web", "x")).id).not.toBe((await personAt("slack", "U2")).id);
    expect((await personAt("web", "x")).accounts.some(({ declared }) => declared)).toBe(false);
  });

  it("when an account was linked in chat, then the declaration overrides the link", async () => {
    const sides = [side("web", "ada"), side("slack", "U9")] as const;
    await joinPeople(store, { linkId: "l", tenant, sides, now: clock.now() });
    await declare({ Ada: { web: "ada", teams: "T1" } });
    expect((await personAt("web", "ada")).id).toBe(declaredId(tenant, "Ada"));
    expect((await personAt("slack", "U9")).accounts.map(({ accountId }) => accountId)).toEqual(["U9"]);
  });

  it("when a declared person links another account, then the link survives the next start", async () => {
    await declare({ Ada: { web: "ada" } });
    const sides = [side("slack", "U9"), side("web", "ada")] as const;
    expect(await joinPeople(store, { linkId: "l", tenant, sides, now: clock.now() })).toBe("joined");
    await declare({ Ada: { web: "ada" } });
    expect((await personAt("slack", "U9")).id).toBe(declaredId(tenant, "Ada"));
  });

  it("when the process crashed in between, then the next start completes the declaration", async () => {
    for (let writes = 0; writes < 6; writes++) {
      let left = writes;
      store.before = (operation) => {
        if (operation === "put" && left-- <= 0) throw new Error("simulated crash");
      };
      await declare({ Ada: { web: "ada", slack: "U1" } }).catch(() => undefined);
    }
    store.before = () => undefined;
    await declare({ Ada: { web: "ada", slack: "U1" } });
    expect((await personAt("web", "ada")).accounts).toHaveLength(2);
    expect((await personAt("slack", "U1")).id).toBe(declaredId(tenant, "Ada"));
  });
});
