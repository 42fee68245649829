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
import { defaultDelegation } from "../../../../core/turns/limits/agent-limits.ts";
import type { Agent } from "../../../../core/turns/turn.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";

const NOW = Date.UTC(2026, 2, 10, 21);
const AT = new Date(NOW).toISOString();
const agentRef = { tenant: "default", agent: "mooring" };
const address = { ...agentRef, ownerId: "s", turnId: "t" };
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
let deps: SubtaskDeps;
beforeEach(() => {
  clock = new ManualClock(NOW);
  store = new MemoryStore(clock);
  deps = { owners: new OwnerRecordWriter(store, clock), clock } as unknown as SubtaskDeps;
});
const putBatch = async (one: Batch) => void (await store.put(ownerKey(address), withBatch(emptyOwner, one)));
const stored = async () => (await readOwner(store, address)).batches.t;
const subtask = (id: string, status: Subtask["status"] = "completed") =>
  ({ ...agentRef, id, status, owner: delegationContext.owner, parentTurnId: "t" }) as Subtask;
const end = (id: string, status?: Subtask["status"]) => countEnd(deps, subtask(id, status));
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

  it("then the members whose results go into the synthesis are counted", () => {
    expect(ids(countedMembers(all))).toEqual(["open", "ended", "late"]);
    expect(ids(openMembers(all))).toEqual(["open"]);
    expect(ids(lateMembers(all))).toEqual(["late"]);
    expect(lateMembers({ ...all, amendedAt: NOW })).toEqual([]);
  });

  it("then it is over once the turn and all its members and calls have ended", () => {
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

  it("then it is settled once its synthesis and its follow-up are requested, or not needed", () => {
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

describe("given a batch of two whose members end (B2)", () => {
  it("when the turn still runs, then the batch does not fire", async () => {
    await putBatch(batch([member("a"), member("b")]));
    await end("a");
    expect((await end("b"))?.after.firedAt).toBeUndefined();
    expect(ids(openMembers((await stored()) ?? batch([])))).toEqual([]);
  });

  it("when the turn has ended, then the last end fires the batch, once", async () => {
    await putBatch(batch([member("a"), member("b")], { sealedAt: NOW }));
    clock.advance(1_000);
    expect((await end("a"))?.after.firedAt).toBeUndefined();
    expect((await end("b"))?.after).toMatchObject({ firedAt: NOW + 1_000, firedBy: "complete" });
    clock.advance(1_000);
    expect(isSame(await end("b"))).toBe(true);
    expect((await stored())?.firedAt).toBe(NOW + 1_000);
  });

  it("when an unknown subtask or a repeated end is counted, then nothing is written", async () => {
    await putBatch(batch([member("a", { ended: true }), member("b")], { sealedAt: NOW }));
    const writes = store.writes.length;
    expect(isSame(await end("a"))).toBe(true);
    expect(isSame(await end("x"))).toBe(true);
    expect(await countEnd(deps, { ...subtask("a"), parentTurnId: "another" })).toBeUndefined();
    expect(store.writes.length).toBe(writes);
  });

  it("when a member ends after the batch has fired, then it is late and a follow-up is requested; a cancelled member is not late", async () => {
    const fired = { sealedAt: NOW, firedAt: NOW, firedBy: "ceiling" as const };
    await putBatch(batch([member("a"), member("b"), member("c", { ended: true })], fired));
    expect((await end("a"))?.after.amendedAt).toBeUndefined();
    const last = (await end("b", "cancelled"))?.after;
    expect(last?.members).toMatchObject([{ late: true }, { ended: true }, { ended: true }]);
    expect(last?.members[1]).not.toHaveProperty("late");
    expect(last).toMatchObject({ firedAt: NOW, firedBy: "ceiling", amendedAt: NOW });
  });

  it("when only cancelled members end after the batch has fired, then no follow-up is requested", async () => {
    await putBatch(
      batch([member("a", { ended: true }), member("b")], { sealedAt: NOW, firedAt: NOW, firedBy: "ceiling" }),
    );
    expect((await end("b", "cancelled"))?.after.amendedAt).toBeUndefined();
  });

  it("when only ends in time are counted, then a late member stays open", async () => {
    const inTime = (id: string, status?: Subtask["status"]) => countInTime(deps, subtask(id, status), undefined);
    await putBatch(batch([member("a"), member("b")], { sealedAt: NOW }));
    expect((await inTime("a"))?.after.members[0]?.ended).toBe(true);
    expect(isSame(await inTime("a"))).toBe(true);
    expect(isSame(await inTime("x"))).toBe(true);
    expect((await inTime("b"))?.after.firedBy).toBe("complete");
    await putBatch(batch([member("a"), member("b")], { sealedAt: NOW, firedAt: NOW }));
    deps = { ...deps, owners: new OwnerRecordWriter(store, clock) };
    expect(isSame(await inTime("a"))).toBe(true);
    expect((await inTime("b", "cancelled"))?.after.members[1]).toMatchObject({ ended: true });
  });

  it("when an end can wait, then it shares the next write", async () => {
    await putBatch(batch([member("a"), member("b")]));
    const writes = store.writes.length;
    const waiting = countInTime(deps, subtask("a"), () => true);
    await new Promise(setImmediate);
    expect(store.writes.length).toBe(writes);
    await end("b");
    expect((await waiting)?.after.members[0]?.ended).toBe(true);
    expect(store.writes.length).toBe(writes + 1);
  });
});

describe("given a turn with a batch that ends (B2, B3)", () => {
  const agent = { tenant: "default", name: "mooring", delegation: defaultDelegation } as unknown as Agent;
  const seal = (more = {}) => sealBatch(deps, agent, { turnId: "t", standing: { ...delegationContext, ...more } });

  it("then the batch is sealed once, and its ceiling counts from that time", async () => {
    await putBatch(batch([member("a")]));
    const sealed = (await seal())?.after;
    expect(sealed?.sealedAt).toBe(NOW);
    expect(sealed?.ceilingAt).toBeGreaterThan(NOW);
    expect(sealed?.firedAt).toBeUndefined();
    clock.advance(1_000);
    expect(isSame(await seal())).toBe(true);
  });

  it("when all members have ended, then sealing fires the batch; without counted members it does not fire", async () => {
    await putBatch(batch([member("a", { ended: true })]));
    expect((await seal())?.after).toMatchObject({ firedAt: NOW, firedBy: "complete" });
    await putBatch(batch([member("a", { ended: true, reports: "alone" })]));
    deps = { ...deps, owners: new OwnerRecordWriter(store, clock) };
    expect((await seal())?.after.firedAt).toBeUndefined();
  });

  it("when the turn has not delegated, then there is no batch to seal", async () => {
    expect(await seal()).toBeUndefined();
  });
});

describe("given a batch at its ceiling (B3)", () => {
  it("then the grace counts from the first stop", async () => {
    await putBatch(batch([member("a")], { sealedAt: NOW }));
    expect((await markStopped(deps, address))?.after.stoppedAt).toBe(NOW);
    clock.advance(1_000);
    expect(isSame(await markStopped(deps, address))).toBe(true);
  });

  it("then it fires without the open members", async () => {
    await putBatch(batch([member("a"), member("b", { ended: true })], { sealedAt: NOW }));
    expect((await fireAtCeiling(deps, address))?.after).toMatchObject({ firedAt: NOW, firedBy: "ceiling" });
    clock.advance(1_000);
    expect((await fireAtCeiling(deps, address))?.after.firedAt).toBe(NOW);
  });

  it("when all members have ended, then it fires as complete; when the turn still runs, then it does not fire", async () => {
    await putBatch(batch([member("a", { ended: true })], { sealedAt: NOW }));
    expect((await fireAtCeiling(deps, address))?.after.firedBy).toBe("complete");
    await putBatch(batch([member("a")]));
    deps = { ...deps, owners: new OwnerRecordWriter(store, clock) };
    expect((await fireAtCeiling(deps, address))?.after.firedAt).toBeUndefined();
  });

  it("when late results wait for open members, then the follow-up can be requested without those", async () => {
    await putBatch(batch([member("a", { ended: true, late: true }), member("b")], { sealedAt: NOW, firedAt: NOW }));
    clock.advance(1_000);
    expect((await amendNow(deps, address))?.after.amendedAt).toBe(NOW + 1_000);
    expect(isSame(await amendNow(deps, address))).toBe(true);
  });
});

describe("given a batch with other changes of its members (B2)", () => {
  it("when a tool call returns results, then their members no longer count, and the batch may be complete", async () => {
    await putBatch(batch([member("a"), member("b", { ended: true })], { sealedAt: NOW }));
    const taken = (await takeReturned(deps, address, ["a", "x"], "call-1"))?.after;
    expect(taken?.members[0]).toMatchObject({ ended: true, awaitedBy: "call-1" });
    expect(taken).toMatchObject({ firedAt: NOW, firedBy: "complete" });
    expect(isSame(await takeReturned(deps, address, ["a"], "call-2"))).toBe(true);
    expect((await stored())?.members[0]?.awaitedBy).toBe("call-1");
    expect((await stored())?.members[1]).not.toHaveProperty("awaitedBy");
  });

  it("when a turn crashed before it created some members, then the batch does not wait for those", async () => {
    await putBatch(batch([member("a"), member("b"), member("c", { ended: true })], { sealedAt: NOW }));
    expect((await countLost(deps, address, ["a", "c"]))?.after.members.map(({ ended }) => ended)).toEqual([
      true,
      false,
      true,
    ]);
    expect(isSame(await countLost(deps, address, ["a", "c"]))).toBe(true);
    expect((await countLost(deps, address, ["b"]))?.after.firedBy).toBe("complete");
  });

  it("when an id is taken by another subtask, then the member of that call gets a new id", async () => {
    await putBatch(batch([member("a"), member("b")]));
    const renamed = await renameMember(deps, address, { callKey: "key-b", id: "b2" });
    expect(ids(renamed?.after.members ?? [])).toEqual(["a", "b2"]);
  });

  it("when another agent answers, then its call ends, once", async () => {
    const calls = [
      { id: "c", name: "pilot", ended: false },
      { id: "d", name: "cook", ended: false },
    ];
    await putBatch(batch([member("a")], { calls }));
    const ended = await countCallEnd(deps, address, { id: "c", isLater: true });
    expect(ended?.after.calls).toEqual([{ ...calls[0], ended: true, isLater: true }, calls[1]]);
    expect(isSame(await countCallEnd(deps, address, { id: "c", isLater: true }))).toBe(true);
    await putBatch(batch([member("a")]));
    deps = { ...deps, owners: new OwnerRecordWriter(store, clock) };
    expect(isSame(await countCallEnd(deps, address, { id: "c", isLater: true }))).toBe(true);
  });
});
