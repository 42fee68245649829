import { beforeEach, describe, expect, it } from "vitest";
import type { Delivery } from "../../../../adapters/contract/channel-adapter.ts";
import { RevisionConflict } from "../../../../core/contract/app-error.ts";
import type { Stored } from "../../../../core/contract/ports/store.ts";
import type { LedgerEntry } from "../../../../core/delivery/ledger-entry.ts";
import { type Begun, type Claim, Ledger } from "../../../../gateway/relay/sending/ledger.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { sampleDelivery } from "../../../fakes/sample-delivery.ts";

const AT = "2026-03-10T21:00:00.000Z";
const LATER = "2026-03-10T21:00:05.000Z";
const target = { channel: "web", room: "r", kind: "private" } as const;
const delivery = sampleDelivery("r1", target, "words");
const beginning = { ...delivery, isStreamDraft: true } as Delivery;
const receipt = { messageId: "m-1" };

let clock: ManualClock;
let store: MemoryStore;
let ledger: Ledger;
beforeEach(() => {
  clock = new ManualClock(Date.parse(AT));
  store = new MemoryStore(clock);
  ledger = new Ledger(store, clock);
});
const known = async (): Promise<LedgerEntry | undefined> => (await ledger.read(delivery))?.value;
const claimed = (attempt = 1, of = delivery) => ledger.claim(of, attempt, 0);
const failing = (count: number) => {
  let left = count;
  store.before = (operation) => {
    if (operation === "put" && left-- > 0) throw new Error("disk full");
  };
};

describe("given a part without an entry", () => {
  it("when it is claimed, then one write without a read prevents other processes from claiming it", async () => {
    const claim = await ledger.claimNew(delivery, 1);
    expect(claim).toEqual({ delivery, revision: 1, maybeSentAt: AT, mayBeSent: false, claimedAt: clock.monotonic() });
    expect({ reads: store.reads, writes: store.writes }).toEqual({ reads: 0, writes: ["ledger"] });
    expect(await known()).toEqual({ state: "claimed", at: AT, attempt: 1, maybeSentAt: AT });
    expect(await new Ledger(store, clock).claimNew(delivery, 2)).toMatchObject({
      value: { state: "claimed", attempt: 1 },
    });
    await expect(claimed()).rejects.toThrow(RevisionConflict);
    expect(store.writes).toHaveLength(1);
  });

  it("when the store fails, then the claim fails", async () => {
    failing(1);
    await expect(ledger.claimNew(delivery, 1)).rejects.toThrow("disk full");
    expect(await known()).toBeUndefined();
  });

  it("then each part of a reply and each target has its own entry", async () => {
    await ledger.claimNew(delivery, 1);
    expect(await ledger.read({ ...delivery, part: { index: 1 } })).toBeUndefined();
    expect(await ledger.read({ ...delivery, target: { ...target, room: "other" } })).toBeUndefined();
  });

  it("when its entry expires between the conflict and the read, then it is claimed as new", async () => {
    await claimed();
    let looks = 0;
    store.before = (operation) => {
      if (operation === "get" && looks++ === 0) clock.jump(31 * 24 * 3_600_000);
    };
    expect(await ledger.claimNew(delivery, 2)).toMatchObject({ mayBeSent: false, delivery: { id: delivery.id } });
  });
});

describe("given a claimed part, when it is claimed again", () => {
  it("then the time of the first attempt that may have reached the platform is kept", async () => {
    const first = await claimed();
    clock.advance(5_000);
    const again = await ledger.claim(delivery, 2, first.revision, first.maybeSentAt);
    expect(again).toMatchObject({ maybeSentAt: AT, mayBeSent: true });
    expect(await known()).toEqual({ state: "claimed", at: LATER, attempt: 2, maybeSentAt: AT });
  });

  it("when another process was first, then the claim fails", async () => {
    const first = await claimed();
    await ledger.claim(delivery, 2, first.revision);
    await expect(ledger.claim(delivery, 2, first.revision)).rejects.toThrow(RevisionConflict);
  });
});

describe("given a claimed part", () => {
  let claim: Claim;
  beforeEach(async () => {
    claim = await claimed();
    clock.advance(5_000);
  });

  it("when the platform accepts it, then its message id replaces any other state", async () => {
    await ledger.claim(delivery, 2, claim.revision);
    await ledger.accept(delivery, receipt);
    expect(await known()).toEqual({ state: "accepted", at: LATER, messageId: "m-1" });
  });

  it("when the acceptance cannot be stored, then the next claim stores it and does not send again", async () => {
    failing(1);
    await expect(ledger.accept(delivery, receipt)).rejects.toThrow("disk full");
    store.before = () => undefined;
    expect(await ledger.claimNew(delivery, 2)).toMatchObject({ value: { state: "accepted", messageId: "m-1" } });
    expect(await known()).toMatchObject({ state: "accepted", messageId: "m-1" });
  });

  it("when it cannot be stored for longer, then it is kept in memory until it is stored", async () => {
    failing(2);
    await expect(ledger.accept(delivery, receipt)).rejects.toThrow("disk full");
    await expect(ledger.claimNew(delivery, 2)).rejects.toThrow("disk full");
    store.before = () => undefined;
    expect(await ledger.claimNew(delivery, 3)).toMatchObject({ value: { state: "accepted" } });
    await ledger.release(delivery, "sent again by hand");
    expect(await ledger.claimNew(delivery, 4)).toMatchObject({ value: { state: "failed" } });
  });

  it("when it is stored at once, then nothing is kept in memory for a later claim", async () => {
    await ledger.accept(delivery, receipt);
    await ledger.release(delivery, "sent again by hand");
    expect(await ledger.claimNew(delivery, 2)).toMatchObject({ value: { state: "failed" } });
  });

  it("when the platform certainly does not have it, then the reason is stored", async () => {
    await ledger.fail(claim, "no such room");
    expect(await known()).toEqual({ state: "failed", at: LATER, reason: "no such room" });
  });

  it("when the platform may have it, then the time of the attempt is stored", async () => {
    await ledger.markUnknown(claim, "no answer");
    expect(await known()).toEqual({ state: "unknown", at: LATER, maybeSentAt: AT, reason: "no answer" });
  });

  it("when another process has taken it over, then neither outcome overwrites its claim", async () => {
    await ledger.claim(delivery, 2, claim.revision);
    await expect(ledger.fail(claim, "x")).rejects.toThrow(RevisionConflict);
    await expect(ledger.markUnknown(claim, "x")).rejects.toThrow(RevisionConflict);
    await expect(ledger.begin(claim, receipt)).rejects.toThrow(RevisionConflict);
    expect(await known()).toMatchObject({ state: "claimed", attempt: 2 });
  });
});

describe("given a part that is streamed", () => {
  it("then the text that may have been sent is stored with the claim and the unknown outcome", async () => {
    const claim = await claimed(1, beginning);
    expect(await known()).toMatchObject({ state: "claimed", beginning: "words" });
    await ledger.markUnknown(claim, "no answer");
    expect(await known()).toMatchObject({ state: "unknown", beginning: "words" });
  });

  it("when the platform shows it, then its message can be edited until the draft is closed", async () => {
    await ledger.begin(await claimed(1, beginning), receipt);
    const begun = (await ledger.read(delivery)) as Stored<Begun>;
    expect(begun.value).toEqual({ state: "begun", at: AT, messageId: "m-1" });
    clock.advance(5_000);
    await ledger.close(delivery, begun);
    expect(await known()).toEqual({ ...begun.value, closedAt: LATER });
    await expect(ledger.close(delivery, begun)).rejects.toThrow(RevisionConflict);
  });
});

describe("given a part that a digest carries instead", () => {
  it("when it was not sent, or failed, then it is withdrawn, and no process sends it on its own", async () => {
    expect(await ledger.withdraw(delivery)).toBe(true);
    expect(await known()).toEqual({ state: "withdrawn", at: AT });
    expect(await ledger.withdraw(delivery)).toBe(true);
    expect(store.writes).toHaveLength(1);
    expect(await ledger.claimNew(delivery, 1)).toMatchObject({ value: { state: "withdrawn" } });
    await ledger.release(delivery, "the digest failed");
    expect(await ledger.withdraw(delivery)).toBe(true);
  });

  it("when it was sent or may have been, then it is not withdrawn", async () => {
    const claim = await claimed();
    expect(await ledger.withdraw(delivery)).toBe(false);
    await ledger.markUnknown(claim, "no answer");
    expect(await ledger.withdraw(delivery)).toBe(false);
    await ledger.accept(delivery, receipt);
    expect(await ledger.withdraw(delivery)).toBe(false);
    expect(await known()).toMatchObject({ state: "accepted" });
  });

  it("when another process claims it at the same time, then the withdrawal fails", async () => {
    const other = new Ledger(store, clock);
    let isFirst = true;
    store.before = async (operation) => {
      if (operation !== "put" || !isFirst) return;
      isFirst = false;
      await other.claim(delivery, 1, 0);
    };
    await expect(ledger.withdraw(delivery)).rejects.toThrow(RevisionConflict);
    expect(await known()).toMatchObject({ state: "claimed" });
  });

  it("when the digest fails too, or its outcome is unknown, then that replaces the withdrawal", async () => {
    await ledger.withdraw(delivery);
    await ledger.release(delivery, "the digest failed");
    expect(await known()).toEqual({ state: "failed", at: AT, reason: "the digest failed" });
    await ledger.markWithdrawnUnknown(delivery, "no answer");
    expect(await known()).toEqual({ state: "unknown", at: AT, maybeSentAt: AT, reason: "no answer" });
  });
});
