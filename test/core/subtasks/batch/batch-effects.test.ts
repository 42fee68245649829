import { beforeEach, describe, expect, it } from "vitest";
import type { Subtask } from "../../../../core/contract/messages/subtask.ts";
import type { SyntheticMessage } from "../../../../core/contract/messages/user-message.ts";
import type { Bus } from "../../../../core/contract/ports/bus.ts";
import type { ToolContext } from "../../../../core/contract/tool.ts";
import { applyBatchEffects, isOutstanding, returnResults } from "../../../../core/subtasks/batch/batch-effects.ts";
import { reserve } from "../../../../core/subtasks/batch/reserve.ts";
import { setBatchTimer } from "../../../../core/subtasks/batch/sealed-batch.ts";
import type { SubtaskDeps } from "../../../../core/subtasks/deps.ts";
import type { Batch, Member } from "../../../../core/subtasks/owner/batch.ts";
import { emptyOwner, ownerKey, readOwner, withBatch } from "../../../../core/subtasks/owner/owner-record.ts";
import { OwnerRecordWriter } from "../../../../core/subtasks/owner/owner-record-writer.ts";
import { ownersWorkingFor } from "../../../../core/subtasks/owner/work-index.ts";
import { defaultDelegation } from "../../../../core/turns/limits/agent-limits.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { RecordingMeter } from "../../../fakes/recording-meter.ts";
import { memberPermit } from "../../../fakes/sample-permit.ts";

const NOW = Date.UTC(2026, 2, 10, 21);
const AT = new Date(NOW).toISOString();
const agentRef = { tenant: "default", agent: "mooring" };
const owner = { ownerType: "agent" as const, ownerId: "s" };
const worker = { ownerType: "worker" as const, ownerId: "subtask-1" };
const delegationContext = { owner, depth: 0, rootTurnId: "t", background: false };
const workContext = {
  sessionId: "s",
  standing: delegationContext,
  origin: { channel: "web", promptSummary: "tides", startedAt: AT, sessionId: "s" },
  audience: { conversation: { channel: "web", room: "r", kind: "private" as const }, personId: "p", accountId: "ann" },
  asker: { personId: "p", accountId: "ann", name: "Ann" },
  traceId: "trace",
};
const member = (id: string, more: Partial<Member> = {}): Member => ({
  id,
  callKey: `key-${id}`,
  name: id,
  reports: "batch",
  ended: true,
  ...more,
});
const batch = (members: readonly Member[], more: Partial<Batch> = {}): Batch => ({
  turnId: "t",
  ...workContext,
  members: [...members],
  openedAt: NOW,
  sealedAt: NOW,
  ...more,
});

let clock: ManualClock;
let store: MemoryStore;
let meter: RecordingMeter;
let logger: RecordingLogger;
let published: { family: string; message: SyntheticMessage; id: string; key: string | undefined }[];
let completed: string[];
let markedPublished: string[];
let deps: SubtaskDeps;
beforeEach(() => {
  clock = new ManualClock(NOW);
  store = new MemoryStore(clock);
  meter = new RecordingMeter();
  logger = new RecordingLogger();
  published = [];
  completed = [];
  markedPublished = [];
  const publish: Bus["publish"] = async ({ family }, message, { id, key }) => {
    published.push({ family, message: message as SyntheticMessage, id, key });
    return "stored";
  };
  const owners = new OwnerRecordWriter(store, clock);
  owners.markPublished = ({ ownerId }, turnId) => void markedPublished.push(`${ownerId} ${turnId}`);
  deps = {
    bus: { publish } as Bus,
    store,
    clock,
    meter,
    logger,
    owners,
    checkpoint: async () => undefined,
    activity: { complete: async (_: unknown, { turnId }: Batch) => void completed.push(turnId) },
  } as unknown as SubtaskDeps;
});

describe("given a batch that has changed (B2, B4)", () => {
  const fired = { firedAt: NOW, firedBy: "complete" as const };
  const change = (before: Batch, after: Batch) => applyBatchEffects(deps, agentRef, { before, after });
  const messages = () => published.map(({ id }) => id);
  const resultsOf = (n: number) => published[n]?.message.synthetic.data;

  it("when it fires, then one synthesis is enqueued in the owner's session, with the outcome of each member", async () => {
    const members = [member("a"), member("b", { ended: false }), member("alone", { reports: "alone", ended: false })];
    await change(batch(members), batch(members, { ...fired, firedBy: "ceiling" }));
    expect(published).toMatchObject([
      {
        family: "user.message",
        id: "batch-t/synthesis",
        key: "+web/-/+r/-",
        message: {
          sentAt: AT,
          traceId: "trace",
          synthetic: { type: "synthesis", sessionId: "s", rootTurnId: "t", owner },
        },
      },
    ]);
    expect(resultsOf(0)).toEqual({
      subtasks: [
        { id: "a", name: "a", timedOut: false },
        { id: "b", name: "b", timedOut: true },
      ],
    });
    expect(meter.counts).toEqual({ "batches_total mooring ceiling": 1 });
    expect(completed).toEqual([]);
    expect(markedPublished).toEqual([]);
  });

  it("when all its work has ended, then its activity entry is completed and its record may be removed", async () => {
    await change(batch([member("a")]), batch([member("a")], fired));
    expect(messages()).toEqual(["batch-t/synthesis"]);
    expect(completed).toEqual(["t"]);
    expect(markedPublished).toEqual(["s t"]);
    expect(meter.counts).toEqual({ "batches_total mooring complete": 1 });
  });

  it("when a follow-up is due, then the synthesis is published again before it, and the follow-up has the late members only", async () => {
    const members = [member("a"), member("b", { late: true })];
    const before = batch(members, fired);
    await change(before, { ...before, amendedAt: NOW });
    expect(messages()).toEqual(["batch-t/synthesis", "batch-t/amendment"]);
    expect(resultsOf(0)).toEqual({
      subtasks: [
        { id: "a", name: "a", timedOut: false },
        { id: "b", name: "b", timedOut: true },
      ],
    });
    expect(published[1]?.message.synthetic.type).toBe("amendment");
    expect(resultsOf(1)).toEqual({ subtasks: [{ id: "b", name: "b", timedOut: false }] });
    expect(meter.counts).toEqual({});
  });

  it("when the same change is repeated, then its messages are published again with the same ids, and it is not counted again", async () => {
    const after = batch([member("a"), member("b", { late: true })], { ...fired, amendedAt: NOW });
    await change(after, after);
    expect(messages()).toEqual(["batch-t/synthesis", "batch-t/amendment"]);
    expect(meter.counts).toEqual({});
    expect(completed).toEqual(["t"]);
  });

  it("when it has fired before and another field changes, then nothing is published", async () => {
    const after = batch([member("a"), member("x", { reports: "alone" })], { ...fired, amendedAt: NOW });
    await change(batch(after.members, { ...fired, amendedAt: NOW }), after);
    expect(messages()).toEqual([]);
    expect(completed).toEqual(["t"]);
  });

  it("when it has not fired, then nothing is published", async () => {
    const open = batch([member("a"), member("b", { ended: false })]);
    await change(batch([member("a", { ended: false }), member("b", { ended: false })]), open);
    await change(open, open);
    expect(messages()).toEqual([]);
    expect(completed).toEqual([]);
  });

  it("when its owner is a subtask, or there is no change, then nothing is published: a subtask waits for its children itself", async () => {
    const after = batch([member("a")], { ...fired, standing: { ...delegationContext, owner: worker } });
    await change(batch([member("a")]), after);
    await applyBatchEffects(deps, agentRef, undefined);
    expect(messages()).toEqual([]);
    expect(completed).toEqual([]);
  });
});

describe("given a sealed batch (B3)", () => {
  const timer = (one: Batch) => setBatchTimer(deps, agentRef, one);

  it("when it has open members, then its timer is published; not if all have ended or its owner is a subtask", async () => {
    await timer(batch([member("a", { ended: false })]));
    expect(published).toMatchObject([
      {
        family: "batch.timer",
        id: "batch-t/timer",
        key: "batch-t/timer",
        message: { ...agentRef, ownerId: "s", turnId: "t" },
      },
    ]);
    await timer(batch([member("a")]));
    await timer(batch([member("a", { ended: false })], { standing: { ...delegationContext, owner: worker } }));
    expect(published).toHaveLength(1);
  });
});

describe("given a turn that has delegated, when its batch is checked for outstanding work", () => {
  const SYNTHESIS = "batch-t/synthesis";
  const isOut = (one: Batch, ...ended: string[]) => isOutstanding(one, ended);

  it("then a batch is outstanding until its synthesis has ended", () => {
    expect(isOut(batch([member("a", { ended: false })]))).toBe(true);
    expect(isOut(batch([member("a")]))).toBe(true);
    expect(isOut(batch([member("a")]), SYNTHESIS)).toBe(false);
    expect(isOut(batch([member("a", { ended: false })]), SYNTHESIS)).toBe(true);
    expect(isOut(batch([member("a", { ended: false })], { firedAt: NOW }), SYNTHESIS)).toBe(false);
    expect(isOut(batch([]))).toBe(false);
  });

  it("then a member that reports alone counts until it ends, and an awaited or blocking one does not count", () => {
    expect(isOut(batch([member("a", { reports: "alone", ended: false })], { firedAt: NOW }))).toBe(true);
    expect(isOut(batch([member("a", { reports: "alone" })]))).toBe(false);
    expect(isOut(batch([member("a", { reports: "blocking", ended: false })]))).toBe(false);
    expect(isOut(batch([member("a", { ended: false, awaitedBy: "call" })]))).toBe(false);
  });

  it("then a call counts until it is answered and the turn about its answer has ended", () => {
    const calling = (ended: boolean, isLater?: boolean) =>
      batch([], { calls: [{ id: "c", name: "pilot", ended, ...(isLater !== undefined && { isLater }) }] });
    expect(isOut(calling(false))).toBe(true);
    expect(isOut(calling(true))).toBe(false);
    expect(isOut(calling(true, true))).toBe(true);
    expect(isOut(calling(true, true), "callback/c")).toBe(false);
    expect(isOut(calling(false), "callback/c")).toBe(false);
    const answered = { id: "d", name: "cook", ended: true };
    expect(isOut(batch([], { calls: [answered, { id: "c", name: "pilot", ended: false }] }))).toBe(true);
  });
});

describe("given a turn that reserves subtasks (S9)", () => {
  const limits = { ...defaultDelegation, running: 3, perTurn: 4, continuations: 1 };
  const context = (more: Partial<ToolContext> = {}): ToolContext => ({
    ...agentRef,
    ...workContext,
    delegationContext,
    turnId: "t",
    permit: memberPermit,
    tools: [],
    idempotencyKey: "k",
    signal: new AbortController().signal,
    ...more,
  });
  const requested = (...ids: string[]) =>
    ids.map((id) => ({ id, callKey: `key-${id}`, name: id, reports: "batch" as const }));
  const reserveIds = async (ids: readonly string[], more: Partial<ToolContext> = {}) => {
    const { accepted, refused, reason } = await reserve(deps, limits, context(more), requested(...ids));
    return { accepted: accepted.map(({ id }) => id), refused, reason };
  };
  const end = (...ids: string[]) =>
    deps.owners.change({ ...agentRef, ownerId: "s" }, (record) => ({
      ...record,
      batches: Object.fromEntries(
        Object.entries(record.batches).map(([turnId, one]) => [
          turnId,
          { ...one, members: one.members.map((each) => (ids.includes(each.id) ? { ...each, ended: true } : each)) },
        ]),
      ),
    }));

  it("then as many are accepted as may run at once, and the refusal of the rest says what to do", async () => {
    expect(await reserveIds(["a", "b"])).toMatchObject({ accepted: ["a", "b"], refused: 0 });
    const more = await reserveIds(["c", "d"]);
    expect(more).toMatchObject({ accepted: ["c"], refused: 1 });
    expect(more.reason).toContain("at most 3 subtasks may be under way at once");
    expect(await reserveIds(["d"])).toMatchObject({ accepted: [], refused: 1 });
  });

  it("when some have ended, then their slots are free, up to the total of one request", async () => {
    await reserveIds(["a", "b", "c"]);
    await end("a", "b");
    const more = await reserveIds(["d", "e"]);
    expect(more).toMatchObject({ accepted: ["d"], refused: 1 });
    expect(more.reason).toContain("one request may have 4 subtasks in all");
    await end("c", "d");
    expect(await reserveIds(["e"])).toMatchObject({ accepted: [], refused: 1 });
  });

  it("when the same call is repeated, then it finds its reservation and takes no further slots", async () => {
    await reserveIds(["a", "b"]);
    expect(await reserveIds(["a", "b"])).toMatchObject({ accepted: ["a", "b"], refused: 0 });
    expect((await readOwner(store, { ...agentRef, ownerId: "s" })).batches.t?.members).toMatchObject([
      { id: "a", ended: false },
      { id: "b", ended: false },
    ]);
    expect((await readOwner(store, { ...agentRef, ownerId: "s" })).tallies).toEqual([["t", 2]]);
  });

  it("when continuations delegate again, then their number is limited", async () => {
    await reserveIds(["a"]);
    expect(await reserveIds(["b"], { turnId: "t2" })).toMatchObject({ accepted: ["b"] });
    expect(await reserveIds(["c"], { turnId: "t2" })).toMatchObject({ accepted: ["c"] });
    await end("a", "b", "c");
    const third = await reserveIds(["d"], { turnId: "t3" });
    expect(third).toMatchObject({ accepted: [], refused: 1 });
    expect(third.reason).toContain("delegated again at most 1 times");
    expect(await reserveIds(["d"], { turnId: "t2" })).toMatchObject({ accepted: ["d"] });
  });

  it("when a subtask delegates, then its turns do not count as continuations, and its work is not indexed by account", async () => {
    const below = { ...delegationContext, owner: worker, depth: 1 };
    expect(await reserveIds(["a"], { delegationContext: below, turnId: "x" })).toMatchObject({ accepted: ["a"] });
    expect(await reserveIds(["b"], { delegationContext: below, turnId: "y" })).toMatchObject({ accepted: ["b"] });
    expect(await reserveIds(["c"], { delegationContext: below, turnId: "z" })).toMatchObject({ accepted: ["c"] });
    expect(await ownersWorkingFor(store, { ...agentRef, channel: "web", accountId: "ann" })).toEqual([]);
  });

  it("then the owner is indexed under the account that asked", async () => {
    await reserveIds(["a"]);
    expect(await ownersWorkingFor(store, { ...agentRef, channel: "web", accountId: "ann" })).toEqual(["s"]);
  });

  it("when the turn is aborted, then no member joins its batch", async () => {
    expect(await reserveIds(["a"], { signal: AbortSignal.abort() })).toMatchObject({ accepted: [], refused: 1 });
    expect((await readOwner(store, { ...agentRef, ownerId: "s" })).batches).toEqual({});
  });
});

describe("given subtasks of two turns whose results a tool call returns (B2)", () => {
  const address = { ...agentRef, ownerId: "s" };
  const returned = (id: string, parentTurnId: string) => ({ ...agentRef, id, owner, parentTurnId }) as Subtask;
  const awaited = async (turnId: string) =>
    (await readOwner(store, address)).batches[turnId]?.members.map(({ id, awaitedBy }) => [id, awaitedBy]);

  it("when they are returned, then each batch no longer counts them, in one write, and fires with the other members", async () => {
    const open = { ended: false };
    const first = batch([member("a", open), member("b", open), member("rest")]);
    const second = batch([member("c", open), member("open", open)], { turnId: "u" });
    await store.put(ownerKey(address), withBatch(withBatch(emptyOwner, first), second));
    const writes = store.writes.length;
    await returnResults(deps, [returned("a", "t"), returned("c", "u"), returned("b", "t")], "call-1");
    expect(store.writes.length - writes).toBe(2);
    expect(await awaited("t")).toEqual([
      ["a", "call-1"],
      ["b", "call-1"],
      ["rest", undefined],
    ]);
    expect(await awaited("u")).toEqual([
      ["c", "call-1"],
      ["open", undefined],
    ]);
    expect(published.map(({ id }) => id)).toEqual(["batch-t/synthesis"]);
    expect(published[0]?.message.synthetic.data).toEqual({ subtasks: [{ id: "rest", name: "rest", timedOut: false }] });
    expect(completed).toEqual(["t"]);
  });

  it("when none are returned, then nothing is read, written or published", async () => {
    await returnResults(deps, [], "call-1");
    expect([store.reads, store.writes.length, published.length]).toEqual([0, 0, 0]);
  });
});
