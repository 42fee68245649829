import { describe, expect, it } from "vitest";
import { slotKey } from "../../../core/budgets/slot-record.ts";
import { TurnSlots } from "../../../core/budgets/turn-slots.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { MemoryStore } from "../../fakes/memory-store.ts";
import { sampleAccount } from "./sample-account.ts";

const start = () => {
  const clock = new ManualClock();
  const store = new MemoryStore();
  const process = () => new TurnSlots({ store, clock, logger: silentLogger });
  return { clock, store, process };
};
const account = (turns: number, fields: object = {}) => sampleAccount({ atOnce: { turns }, ...fields });
const settled = async () => {
  for (let round = 0; round < 3; round++) await new Promise(setImmediate);
};

describe("given two turns at once, of which unattended work may use one", () => {
  it("when a second unattended turn waits, then a person behind it runs, and the next person waits in line (R2)", async () => {
    const slots = start().process();
    const half = account(2, { unattendedShare: 0.5 });
    expect(await slots.take(half, "schedule-1", true)).toBe(true);
    expect(await slots.take(half, "schedule-2", true)).toBe(false);
    expect(await slots.take(half, "person-1", false)).toBe(true);
    expect(await slots.take(half, "person-2", false)).toBe(false);
    slots.leave(half, "schedule-1");
    expect(await slots.take(half, "person-2", false)).toBe(false);
    expect(await slots.take(half, "schedule-2", true)).toBe(true);
  });
});

describe("given a turn that needs a place of its person and one of the agent", () => {
  it("when the agent has none, then the turn holds none of its person either", async () => {
    const { process, store } = start();
    const slots = process();
    const [ann, agent] = [account(1, { subject: "ann" }), account(1, { scope: "agent", subject: "agent" })];
    await slots.begin([agent], "t-other", false);
    expect((await slots.begin([ann, agent], "t-1", false)).mayRun).toBe(false);
    await settled();
    expect(await store.get(slotKey(ann))).toBeUndefined();
  });
});

describe("given a message that waits in a process", () => {
  it("when another process makes room, then it is woken within a second, in the order of the line", async () => {
    const { process, clock } = start();
    const [one, two] = [process(), process()];
    const only = account(1);
    await one.take(only, "t-1", false);
    const woken: string[] = [];
    for (const id of ["t-2", "t-3"]) {
      await two.take(only, id, false);
      two.onRoom(only, id, () => woken.push(id));
    }
    one.leave(only, "t-1");
    await settled();
    clock.advance(1_000);
    await settled();
    expect(woken).toEqual(["t-2"]);
    expect(await two.take(only, "t-3", false)).toBe(false);
    expect(await two.take(only, "t-2", false)).toBe(true);
  });

  it("when its process no longer handles it, then its place in the line expires", async () => {
    const { process, clock } = start();
    const [one, two] = [process(), process()];
    const only = account(1);
    await one.take(only, "t-1", false);
    await two.take(only, "t-lost", false);
    const cancel = two.onRoom(only, "t-lost", () => undefined);
    cancel();
    one.leave(only, "t-1");
    await settled();
    expect(await one.take(only, "t-2", false)).toBe(false);
    for (let second = 0; second <= 60; second++) {
      clock.advance(1_000);
      await settled();
    }
    expect(await one.take(only, "t-2", false)).toBe(true);
  });

  it("when a turn runs for longer than its place is valid, then the place is renewed", async () => {
    const { process, clock } = start();
    const [one, two] = [process(), process()];
    const only = account(1);
    await one.take(only, "t-1", false);
    for (let second = 0; second <= 150; second++) {
      clock.advance(1_000);
      await settled();
    }
    expect(await two.take(only, "t-2", false)).toBe(false);
  });
});
