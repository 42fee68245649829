import { beforeEach, describe, expect, it } from "vitest";
import { Ledger } from "../../../core/budgets/ledger.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { MemoryStore } from "../../fakes/memory-store.ts";
import { sampleAccount } from "./sample-account.ts";

let store: MemoryStore;
let clock: ManualClock;
const process = () => new Ledger({ store, clock });

beforeEach(() => {
  store = new MemoryStore();
  clock = new ManualClock(Date.parse("2026-03-10T21:14:05Z"));
});

/** Takes one turn at a time until the first refusal. */
const takeAll = async (ledger: Ledger, account = sampleAccount(), isUnattended = false) => {
  for (let taken = 0; ; taken++) {
    const refusal = await ledger.take(account, { turns: 1 }, isUnattended);
    if (refusal) return { taken, why: refusal.why };
  }
};

describe("given an account with a daily limit", () => {
  it("when one process takes until it is refused, then it gets exactly the limit (R2)", async () => {
    expect(await takeAll(process())).toEqual({ taken: 10, why: "hard" });
  });

  it("when a process takes from its lease, then the store is neither read nor written", async () => {
    const ledger = process();
    const account = sampleAccount({ daily: { turns: 10_000 } });
    await ledger.take(account, { turns: 1 }, false);
    const { reads, writes } = store;
    for (let turn = 0; turn < 99; turn++) await ledger.take(account, { turns: 1 }, false);
    expect([store.reads, store.writes]).toEqual([reads, writes]);
    await ledger.take(account, { turns: 1 }, false);
    expect(store.writes).toBe(writes + 1);
  });

  it("when many requests arrive at once, then no more than the limit are admitted", async () => {
    const ledger = process();
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, () => ledger.take(sampleAccount(), { turns: 1 }, false)),
    );
    expect(outcomes.filter((refusal) => refusal === undefined)).toHaveLength(10);
  });

  it("when a request arrives while another waits for the store, then it does not take what the other counts on", async () => {
    const account = sampleAccount({ daily: { turns: 20 } });
    const first = process();
    await first.take(account, { turns: 1 }, false);
    await process().take(account, { turns: 17 }, false);
    const outcomes = await Promise.all([
      first.take(account, { turns: 2 }, false),
      first.take(account, { turns: 1 }, false),
    ]);
    expect(outcomes.map((refusal) => refusal?.why)).toEqual([undefined, "hard"]);
  });

  it("when twenty processes are killed that worked on a large limit, then most of it is left (R2)", async () => {
    const account = sampleAccount({ daily: { turns: 5_000 } });
    for (let killed = 0; killed < 20; killed++) await process().take(account, { turns: 1 }, false);
    expect(await process().take(account, { turns: 3_400 }, true)).toBeUndefined();
  });

  it("when a process is killed, then its lease counts as used", async () => {
    const account = sampleAccount({ daily: { turns: 100 } });
    await process().take(account, { turns: 1 }, false);
    expect((await takeAll(process(), account)).taken).toBe(90);
  });

  it("when a process stops, then it returns its lease", async () => {
    const account = sampleAccount({ daily: { turns: 100 } });
    const first = process();
    await first.take(account, { turns: 1 }, false);
    await first.giveBack(0);
    expect((await takeAll(process(), account)).taken).toBe(99);
  });

  it("when an account is idle, then its lease is returned; a lease in use is kept", async () => {
    const account = sampleAccount({ daily: { turns: 100 } });
    const idle = process();
    await idle.take(account, { turns: 1 }, false);
    clock.advance(599_999);
    await idle.giveBack(600_000);
    expect(store.writes).toBe(1);
    clock.advance(1);
    await idle.giveBack(600_000);
    expect((await takeAll(process(), account)).taken).toBe(99);
  });

  it("when the UTC day ends, then the limit is available again", async () => {
    const ledger = process();
    await takeAll(ledger);
    clock.advance(Date.parse("2026-03-10T23:59:59Z") - clock.now());
    expect(await takeAll(ledger)).toEqual({ taken: 0, why: "hard" });
    clock.advance(1_000);
    expect(await takeAll(ledger)).toEqual({ taken: 10, why: "hard" });
  });

  it("when a request used more than it reserved, then the next ones pay for it, in every process", async () => {
    const account = sampleAccount({ daily: { tokens: 1_000 } });
    const first = process();
    await first.take(account, { tokens: 100 }, false);
    first.charge(account, { tokens: 1_500 });
    expect((await first.take(account, { tokens: 1 }, false))?.why).toBe("hard");
    expect((await process().take(account, { tokens: 1 }, false))?.why).toBe("hard");
    expect(first.used(account, "tokens")).toBe(1_600);
  });

  it("when a reservation is settled on the next day, then that day is not charged", async () => {
    const account = sampleAccount();
    const ledger = process();
    await ledger.take(account, { turns: 5 }, false);
    const day = ledger.today();
    clock.advance(24 * 3_600_000);
    ledger.charge(account, { turns: -5 }, day);
    expect((await takeAll(ledger, account)).taken).toBe(10);
  });
});

describe("given unattended work", () => {
  it("when it has used its share, then it is refused, and people are answered up to the limit", async () => {
    const ledger = process();
    expect(await takeAll(ledger, sampleAccount(), true)).toEqual({ taken: 9, why: "unattended" });
    expect(await takeAll(ledger)).toEqual({ taken: 1, why: "hard" });
  });
});

describe("given a soft limit", () => {
  const account = sampleAccount({ softShare: 0.5 });

  it("when it is lifted by another process, then work goes on up to the hard limit, for this day only", async () => {
    const ledger = process();
    expect(await takeAll(ledger, account)).toEqual({ taken: 5, why: "soft" });
    await process().note(account, (record) => ({ ...record, lifted: true }));
    expect(await takeAll(ledger, account)).toEqual({ taken: 5, why: "hard" });
    clock.advance(24 * 3_600_000);
    expect(await takeAll(ledger, account)).toEqual({ taken: 5, why: "soft" });
  });
});
