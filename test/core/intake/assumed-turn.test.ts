import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { accountKey, personKey } from "../../../core/people/person-record.ts";
import { firstSessionId, startSession } from "../../../core/sessions/current-session.ts";
import { turnKey } from "../../../core/turns/record/turn-records.ts";
import { countingBackbone } from "../../fakes/counting-backbone.ts";
import { CoreUnderTest, userMessage } from "../core-under-test.ts";

const [tenant, at] = ["default", "2026-03-10T21:14:00.000Z"];
const second = userMessage("m-2", "second");
const account = { tenant, channel: "web", accountId: "ann" };

let core: CoreUnderTest;
let writes: readonly string[];
let crashNext: boolean;

/** A store that is not exclusive, and a conversation in the cache of this process. */
beforeEach(async () => {
  crashNext = false;
  core = await CoreUnderTest.start(() => "fine", {
    wrap: (backbone) => {
      const counting = countingBackbone(backbone);
      writes = counting.writes;
      return counting;
    },
    checkpoint: async (name) => {
      if (name !== "turn.assumed" || !crashNext) return;
      crashNext = false;
      throw new Error("simulated crash");
    },
  });
  await core.ask("m-1", "first");
});
afterEach(() => core.dispose());

const stored = async () => (await core.backbone.store.get(turnKey(second)))?.value;
const turnWrites = () => writes.filter((write) => write === "put turns").length;

/** Starts a session in the same conversation, as another process does for `new`. */
const startNewSession = () =>
  startSession(core.backbone.store, second, { after: firstSessionId(second), messageId: "new", now: 0 });

const linkElsewhere = async () => {
  const { store } = core.backbone;
  const entry = { channel: "web", accountId: "ann", name: "Ann", since: at, joined: 1 };
  const person = { id: "p-both", tenant, membership: 1, accounts: [entry], surfaces: [] };
  await store.put(personKey(tenant, person.id), person);
  await store.put(accountKey(account), { personId: person.id });
};

describe("given a turn that is stored with cached data", () => {
  it("when the data is current, then the turn is stored once", async () => {
    await core.ask("m-2", "second");
    expect(turnWrites()).toBe(2);
    expect(await stored()).toMatchObject({ sessionId: firstSessionId(second), index: 1, assumed: true });
    expect(core.model.requests.items[1]?.messages).toHaveLength(3);
  });

  it("when another process has started a new session, then the turn is in that one", async () => {
    const sessionId = await startNewSession();
    const reply = await core.ask("m-2", "second");
    expect(reply).toMatchObject({ sessionId, origin: { sessionId } });
    expect(await stored()).toMatchObject({ sessionId, index: 0, standing: { owner: { ownerId: sessionId } } });
    expect(await stored()).not.toHaveProperty("assumed");
    expect(core.model.requests.items[1]?.messages).toMatchObject([{ role: "user", text: "second" }]);
  });

  it("when the account was linked elsewhere, then the turn is for its current person", async () => {
    await linkElsewhere();
    const reply = await core.ask("m-2", "second");
    expect(reply.audience).toMatchObject({ personId: "p-both", membership: 1 });
    expect(await stored()).toMatchObject({ asker: { personId: "p-both" } });
  });

  it("when the process crashes before it corrects the turn, then the next run corrects it", async () => {
    const sessionId = await startNewSession();
    await linkElsewhere();
    crashNext = true;
    const reply = await core.ask("m-2", "second");
    expect(crashNext).toBe(false);
    expect(reply).toMatchObject({ sessionId, audience: { personId: "p-both" } });
    expect(await stored()).toMatchObject({ sessionId, audience: { personId: "p-both" } });
    expect(core.model.requests.items).toHaveLength(2);
  });

  it("when the message is redelivered after its answer, then the turn stays unchanged and the model is not called", async () => {
    const before = await core.ask("m-2", "second");
    await startNewSession();
    await core.receive(second, "m-2 again");
    await core.ask("m-3", "third");
    expect(await stored()).toMatchObject({ sessionId: before.sessionId, assumed: true });
    expect(core.model.requests.items).toHaveLength(3);
  });
});
