import { beforeEach, describe, expect, it } from "vitest";
import type { Subtask } from "../../../../core/contract/messages/subtask.ts";
import type { BatchChange } from "../../../../core/subtasks/batch/batch-transitions.ts";
import {
  amendNow,
  countCallEnd,
  countEnd,
  countInTime,
  countLost,
  fireAtCeiling,
  markStopped,
  renameMember,
  sealBatch,
  takeReturned,
} from "../../../../core/subtasks/batch/batch-transitions.ts";
import type { SubtaskDeps } from "../../../../core/subtasks/deps.ts";
import type { Batch, Member } from "../../../../core/subtasks/owner/batch.ts";
import {
  countedMembers,
  isOver,
  isSettled,
  lateMembers,
  openCalls,
  openMembers,
} from "../../../../core/subtasks/owner/batch.ts";
import { emptyOwner, ownerKey, readOwner, withBatch } from "../../../../core/subtasks/owner/owner-record.ts";
import { OwnerRecordWriter } from "../../../../core/subtasks/owner/owner-record-writer.ts";
import type { Agent } from "../../../../core/turns/agent.ts";
import { defaultDelegation } from "../../../../core/turns/limits/agent-limits.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";

const NOW = Date.UTC(2026, 2, 10, 21);
const AT = new Date(NOW).toISOString();
const place = { tenant: "default", agent: "mooring" };
const address = { ...place, ownerId: "s", turnId: "t" };
const delegationContext = {
  owner: { ownerType: "agent" as const, ownerId: "s" },
  depth: 0,
  rootTurnId: "t",
  background: false,
};
const origin = { channel: "web", promptSummary: "tides", startedAt: AT, sessionId: "s" };
const audience = { conversation: { channel: "web", room: "r", kind: "private" as const }, personId: "p" };
const asker = { personId: "p", accountId: "ann", name: "Ann" };

const member = (id: string, more: Partial<Member> = {}): Member => ({
  id,
  callKey: `key-${id}`,
  name: id,
  reports: "batch",
  ended: false,
  ...more,
});
const batch = (members: readonly Member[], more: Partial<Batch> = {}): Batch => ({
  turnId: "t",
  sessionId: "s",
  standing: delegationContext,
  origin,
  audience,
  asker,
  traceId: "trace",
  members: [...members],
  openedAt: NOW,
  ...more,
});
const ids = (members: readonly { readonly id: string }[]) => members.map(({ id }) => id);

let clock: ManualClock;
let store: MemoryStore;
let parts: SubtaskDeps;
beforeEach(() => {
  clock = new ManualClock(NOW);
  store = new MemoryStore(clock);
  parts = { owners: new OwnerRecordWriter(store, clock), clock } as unknown as SubtaskDeps;
});
const keep = async (one: Batch) => void (await store.put(ownerKey(address), withBatch(emptyOwner, one)));
const stored = async () => (await readOwner(store, address)).batches.t;
const subtask = (id: string, status: Subtask["status"] = "completed") =>
  ({ ...place, id, status, owner: delegationContext.owner, parentTurnId: "t" }) as Subtask;
const end = (id: string, status?: Subtask["status"]) => countEnd(parts, subtask(id, status));
const isSame = (change: BatchChange | undefined) => change !== undefined && change.before === change.after;

describe("given the members of a batch (B2)", () => {
  const all = batch([
    member("open"),
    member("ended", { ended: true }),
    member("late", { ended: true, late: true }),
    member("awaited", { awaitedBy: "call" }),
    member("alone", { reports: "alone" }),
    member("blocking", { reports: "blocking" }),
  ]);

  it("then those count whose results belong into the one answer", () => {
    expect(ids(countedMembers(all))).toEqual(["open", "ended", "late"]);
    expect(ids(openMembers(all))).toEqual(["open"]);
    expect(ids(lateMembers(all))).toEqual(["late"]);
    expect(lateMembers({ ...all, amendedAt: NOW })).toEqual([]);
  });

  it("then it is over when the turn and everything that it started have ended", () => {
    const calls = (ended: boolean) => [{ id: "c", name: "pilot", ended }];
    const over = batch([member("a", { ended: true }), member("b", { ended: true, reports: "alone" })], {
      sealedAt: NOW,
    });
    expect(isOver(over)).toBe(true);
    expect(isOver({ ...over, sealedAt: undefined })).toBe(false);
    expect(isOver({ ...over, members: [...over.members, member("c", { reports: "alone" })] })).toBe(false);
    expect(isOver({ ...over, calls: calls(false) })).toBe(false);
    expect(isOver({ ...over, calls: calls(true) })).toBe(true);
    expect(ids(openCalls({ ...over, calls: [...calls(false), ...calls(true)] }))).toEqual(["c"]);
  });

  it("then it is settled when its answer and its follow-up were asked for, or it needs none", () => {
    const over = batch([member("a", { ended: true })], { sealedAt: NOW });
    expect(isSettled(over)).toBe(false);
    expect(isSettled({ ...over, firedAt: NOW })).toBe(true);
    expect(isSettled({ ...over, firedAt: NOW, sealedAt: undefined })).toBe(false);
    expect(isSettled(batch([member("a", { ended: true, reports: "alone" })], { sealedAt: NOW }))).toBe(true);
    const late = batch([member("a", { ended: true, late: true })], { sealedAt: NOW, firedAt: NOW });
    expect(isSettled(late)).toBe(false);
    expect(isSettled({ ...late, amendedAt: NOW })).toBe(true);
  });
});

describe("given a batch of two, when its members end (B2)", () => {
  it("when the turn still runs, then nothing fires", async () => {
    await keep(batch([member("a"), member("b")]));
    await end("a");
    expect((await end("b"))?.after.firedAt).toBeUndefined();
    expect(ids(openMembers((await stored()) ?? batch([])))).toEqual([]);
  });

  it("when the turn has ended, then the last end fires it, once", async () => {
    await keep(batch([member("a"), member("b")], { sealedAt: NOW }));
    clock.advance(1_000);
    expect((await end("a"))?.after.firedAt).toBeUndefined();
    expect((await end("b"))?.after).toMatchObject({ firedAt: NOW + 1_000, firedBy: "complete" });
    clock.advance(1_000);
    expect(isSame(await end("b"))).toBe(true);
    expect((await stored())?.firedAt).toBe(NOW + 1_000);
  });

  it("when a stranger or a repeat is counted, then nothing changes and nothing is written", async () => {
    await keep(batch([member("a", { ended: true }), member("b")], { sealedAt: NOW }));
    const writes = store.writes.length;
    expect(isSame(await end("a"))).toBe(true);
    expect(isSame(await end("x"))).toBe(true);
    expect(await countEnd(parts, { ...subtask("a"), parentTurnId: "another" })).toBeUndefined();
    expect(store.writes.length).toBe(writes);
  });

  it("when one ends after it has fired, then it is late and asks for one follow-up; one that was stopped is not", async () => {
    const fired = { sealedAt: NOW, firedAt: NOW, firedBy: "ceiling" as const };
    await keep(batch([member("a"), member("b"), member("c", { ended: true })], fired));
    expect((await end("a"))?.after.amendedAt).toBeUndefined();
    const last = (await end("b", "cancelled"))?.after;
    expect(last?.members).toMatchObject([{ late: true }, { ended: true }, { ended: true }]);
    expect(last?.members[1]).not.toHaveProperty("late");
    expect(last).toMatchObject({ firedAt: NOW, firedBy: "ceiling", amendedAt: NOW });
  });

  it("when those who were stopped end after it has fired, then nobody gets a follow-up", async () => {
    await keep(batch([member("a", { ended: true }), member("b")], { sealedAt: NOW, firedAt: NOW, firedBy: "ceiling" }));
    expect((await end("b", "cancelled"))?.after.amendedAt).toBeUndefined();
  });

  it("when only ends in time may be counted, then a late one stays open", async () => {
    const inTime = (id: string, status?: Subtask["status"]) => countInTime(parts, subtask(id, status), undefined);
    await keep(batch([member("a"), member("b")], { sealedAt: NOW }));
    expect((await inTime("a"))?.after.members[0]?.ended).toBe(true);
    expect(isSame(await inTime("a"))).toBe(true);
    expect(isSame(await inTime("x"))).toBe(true);
    expect((await inTime("b"))?.after.firedBy).toBe("complete");
    await keep(batch([member("a"), member("b")], { sealedAt: NOW, firedAt: NOW }));
    parts = { ...parts, owners: new OwnerRecordWriter(store, clock) };
    expect(isSame(await inTime("a"))).toBe(true);
    expect((await inTime("b", "cancelled"))?.after.members[1]).toMatchObject({ ended: true });
  });

  it("when an end can wait, then it is written with the next change, or after a moment", async () => {
    await keep(batch([member("a"), member("b")]));
    const writes = store.writes.length;
    const waiting = countInTime(parts, subtask("a"), () => true);
    await new Promise(setImmediate);
    expect(store.writes.length).toBe(writes);
    await end("b");
    expect((await waiting)?.after.members[0]?.ended).toBe(true);
    expect(store.writes.length).toBe(writes + 1);
  });
});

describe("given a turn that ends (B2, B3)", () => {
  const agent = { tenant: "default", name: "mooring", delegation: defaultDelegation } as unknown as Agent;
  const seal = (more = {}) => sealBatch(parts, agent, { turnId: "t", standing: { ...delegationContext, ...more } });

  it("then its batch is sealed once, and its ceiling counts from then", async () => {
    await keep(batch([member("a")]));
    const sealed = (await seal())?.after;
    expect(sealed?.sealedAt).toBe(NOW);
    expect(sealed?.ceilingAt).toBeGreaterThan(NOW);
    expect(sealed?.firedAt).toBeUndefined();
    clock.advance(1_000);
    expect(isSame(await seal())).toBe(true);
  });

  it("when all had ended before, then sealing fires it; when none counts, then nothing fires", async () => {
    await keep(batch([member("a", { ended: true })]));
    expect((await seal())?.after).toMatchObject({ firedAt: NOW, firedBy: "complete" });
    await keep(batch([member("a", { ended: true, reports: "alone" })]));
    parts = { ...parts, owners: new OwnerRecordWriter(store, clock) };
    expect((await seal())?.after.firedAt).toBeUndefined();
  });

  it("when it has delegated nothing, then there is no batch to seal", async () => {
    expect(await seal()).toBeUndefined();
  });
});

describe("given a batch whose time is up (B3)", () => {
  it("then the grace counts from when that was noticed first", async () => {
    await keep(batch([member("a")], { sealedAt: NOW }));
    expect((await markStopped(parts, address))?.after.stoppedAt).toBe(NOW);
    clock.advance(1_000);
    expect(isSame(await markStopped(parts, address))).toBe(true);
  });

  it("then it fires without those who are still out", async () => {
    await keep(batch([member("a"), member("b", { ended: true })], { sealedAt: NOW }));
    expect((await fireAtCeiling(parts, address))?.after).toMatchObject({ firedAt: NOW, firedBy: "ceiling" });
    clock.advance(1_000);
    expect((await fireAtCeiling(parts, address))?.after.firedAt).toBe(NOW);
  });

  it("when all have ended meanwhile, then it is complete; when the turn still runs, then it does not fire", async () => {
    await keep(batch([member("a", { ended: true })], { sealedAt: NOW }));
    expect((await fireAtCeiling(parts, address))?.after.firedBy).toBe("complete");
    await keep(batch([member("a")]));
    parts = { ...parts, owners: new OwnerRecordWriter(store, clock) };
    expect((await fireAtCeiling(parts, address))?.after.firedAt).toBeUndefined();
  });

  it("when late results wait for others, then the follow-up can be asked for without those", async () => {
    await keep(batch([member("a", { ended: true, late: true }), member("b")], { sealedAt: NOW, firedAt: NOW }));
    clock.advance(1_000);
    expect((await amendNow(parts, address))?.after.amendedAt).toBe(NOW + 1_000);
    expect(isSame(await amendNow(parts, address))).toBe(true);
  });
});

describe("given a batch whose members change in other ways (B2)", () => {
  it("when a call returns results itself, then those no longer count, and the rest may be complete", async () => {
    await keep(batch([member("a"), member("b", { ended: true })], { sealedAt: NOW }));
    const taken = (await takeReturned(parts, address, ["a", "x"], "call-1"))?.after;
    expect(taken?.members[0]).toMatchObject({ ended: true, awaitedBy: "call-1" });
    expect(taken).toMatchObject({ firedAt: NOW, firedBy: "complete" });
    expect(isSame(await takeReturned(parts, address, ["a"], "call-2"))).toBe(true);
    expect((await stored())?.members[0]?.awaitedBy).toBe("call-1");
    expect((await stored())?.members[1]).not.toHaveProperty("awaitedBy");
  });

  it("when a turn died before it had started some, then nobody waits for those", async () => {
    await keep(batch([member("a"), member("b"), member("c", { ended: true })], { sealedAt: NOW }));
    expect((await countLost(parts, address, ["a", "c"]))?.after.members.map(({ ended }) => ended)).toEqual([
      true,
      false,
      true,
    ]);
    expect(isSame(await countLost(parts, address, ["a", "c"]))).toBe(true);
    expect((await countLost(parts, address, ["b"]))?.after.firedBy).toBe("complete");
  });

  it("when an id was taken, then the member of that call gets another one", async () => {
    await keep(batch([member("a"), member("b")]));
    const renamed = await renameMember(parts, address, { callKey: "key-b", id: "b2" });
    expect(ids(renamed?.after.members ?? [])).toEqual(["a", "b2"]);
  });

  it("when another agent has answered, then its call has ended, once", async () => {
    const calls = [
      { id: "c", name: "pilot", ended: false },
      { id: "d", name: "cook", ended: false },
    ];
    await keep(batch([member("a")], { calls }));
    const ended = await countCallEnd(parts, address, { id: "c", isLater: true });
    expect(ended?.after.calls).toEqual([{ ...calls[0], ended: true, isLater: true }, calls[1]]);
    expect(isSame(await countCallEnd(parts, address, { id: "c", isLater: true }))).toBe(true);
    await keep(batch([member("a")]));
    parts = { ...parts, owners: new OwnerRecordWriter(store, clock) };
    expect(isSame(await countCallEnd(parts, address, { id: "c", isLater: true }))).toBe(true);
  });
});
