import { beforeEach, describe, expect, it } from "vitest";
import type { SyntheticMessage } from "../../../../core/contract/messages/user-message.ts";
import type { Bus } from "../../../../core/contract/ports/bus.ts";
import type { ToolContext } from "../../../../core/contract/tool.ts";
import { applyBatchEffects, isOutstanding } from "../../../../core/subtasks/batch/batch-effects.ts";
import { reserve } from "../../../../core/subtasks/batch/reserve.ts";
import { setBatchTimer } from "../../../../core/subtasks/batch/seal-turn.ts";
import type { SubtaskDeps } from "../../../../core/subtasks/deps.ts";
import type { Batch, Member } from "../../../../core/subtasks/owner/batch.ts";
import { readOwner } from "../../../../core/subtasks/owner/owner-record.ts";
import { OwnerRecordWriter } from "../../../../core/subtasks/owner/owner-record-writer.ts";
import { ownersWorkingFor } from "../../../../core/subtasks/owner/work-index.ts";
import { defaultDelegation } from "../../../../core/turns/limits/agent-limits.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { RecordingMeter } from "../../../fakes/recording-meter.ts";

const NOW = Date.UTC(2026, 2, 10, 21);
const AT = new Date(NOW).toISOString();
const place = { tenant: "default", agent: "mooring" };
const owner = { ownerType: "agent" as const, ownerId: "s" };
const worker = { ownerType: "worker" as const, ownerId: "subtask-1" };
const delegationContext = { owner, depth: 0, rootTurnId: "t", background: false };
const inherited = {
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
  ...inherited,
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
let told: string[];
let parts: SubtaskDeps;
beforeEach(() => {
  clock = new ManualClock(NOW);
  store = new MemoryStore(clock);
  meter = new RecordingMeter();
  logger = new RecordingLogger();
  published = [];
  completed = [];
  told = [];
  const publish: Bus["publish"] = async ({ family }, message, { id, key }) => {
    published.push({ family, message: message as SyntheticMessage, id, key });
    return "stored";
  };
  const owners = new OwnerRecordWriter(store, clock);
  owners.markPublished = ({ ownerId }, turnId) => void told.push(`${ownerId} ${turnId}`);
  parts = {
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
  const change = (before: Batch, after: Batch) => applyBatchEffects(parts, place, { before, after });
  const messages = () => published.map(({ id }) => id);
  const resultsOf = (n: number) => published[n]?.message.synthetic.data;

  it("when it fires, then one turn for its answer is put into the owner's session, with what became of each", async () => {
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
    expect(told).toEqual([]);
  });

  it("when everything has ended with it, then its activity entry ends, and its record may be forgotten", async () => {
    await change(batch([member("a")]), batch([member("a")], fired));
    expect(messages()).toEqual(["batch-t/synthesis"]);
    expect(completed).toEqual(["t"]);
    expect(told).toEqual(["s t"]);
    expect(meter.counts).toEqual({ "batches_total mooring complete": 1 });
  });

  it("when a late result is amended, then the answer is said again first, and the follow-up tells of late ones only", async () => {
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

  it("when the same change comes again, then all of it is said again under the same ids, and counted once", async () => {
    const after = batch([member("a"), member("b", { late: true })], { ...fired, amendedAt: NOW });
    await change(after, after);
    expect(messages()).toEqual(["batch-t/synthesis", "batch-t/amendment"]);
    expect(meter.counts).toEqual({});
    expect(completed).toEqual(["t"]);
  });

  it("when it fired before and something else has changed, then nothing is said again", async () => {
    const after = batch([member("a"), member("x", { reports: "alone" })], { ...fired, amendedAt: NOW });
    await change(batch(after.members, { ...fired, amendedAt: NOW }), after);
    expect(messages()).toEqual([]);
    expect(completed).toEqual(["t"]);
  });

  it("when it has not fired yet, then nothing is said", async () => {
    const open = batch([member("a"), member("b", { ended: false })]);
    await change(batch([member("a", { ended: false }), member("b", { ended: false })]), open);
    await change(open, open);
    expect(messages()).toEqual([]);
    expect(completed).toEqual([]);
  });

  it("when it is a subtask's own, or there is none, then nothing follows: a subtask watches its children itself", async () => {
    const after = batch([member("a")], { ...fired, standing: { ...delegationContext, owner: worker } });
    await change(batch([member("a")]), after);
    await applyBatchEffects(parts, place, undefined);
    expect(messages()).toEqual([]);
    expect(completed).toEqual([]);
  });
});

describe("given a batch that is sealed (B3)", () => {
  const timer = (one: Batch) => setBatchTimer(parts, place, one);

  it("when it waits for somebody, then the bus looks after it; else, or if it is a subtask's, it does not", async () => {
    await timer(batch([member("a", { ended: false })]));
    expect(published).toMatchObject([
      {
        family: "batch.timer",
        id: "batch-t/timer",
        key: "batch-t/timer",
        message: { ...place, ownerId: "s", turnId: "t" },
      },
    ]);
    await timer(batch([member("a")]));
    await timer(batch([member("a", { ended: false })], { standing: { ...delegationContext, owner: worker } }));
    expect(published).toHaveLength(1);
  });
});

describe("given a turn that has delegated, when somebody asks whether others still work on it", () => {
  const SYNTHESIS = "batch-t/synthesis";
  const isOut = (one: Batch, ...ended: string[]) => isOutstanding(one, ended);

  it("then they do until the turn with the results has ended", () => {
    expect(isOut(batch([member("a", { ended: false })]))).toBe(true);
    expect(isOut(batch([member("a")]))).toBe(true);
    expect(isOut(batch([member("a")]), SYNTHESIS)).toBe(false);
    expect(isOut(batch([member("a", { ended: false })]), SYNTHESIS)).toBe(true);
    expect(isOut(batch([member("a", { ended: false })], { firedAt: NOW }), SYNTHESIS)).toBe(false);
    expect(isOut(batch([]))).toBe(false);
  });

  it("then one that reports alone counts until it has ended, and one that was awaited or blocks does not", () => {
    expect(isOut(batch([member("a", { reports: "alone", ended: false })], { firedAt: NOW }))).toBe(true);
    expect(isOut(batch([member("a", { reports: "alone" })]))).toBe(false);
    expect(isOut(batch([member("a", { reports: "blocking", ended: false })]))).toBe(false);
    expect(isOut(batch([member("a", { ended: false, awaitedBy: "call" })]))).toBe(false);
  });

  it("then another agent counts until it has answered and the turn of its answer has ended", () => {
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

describe("given subtasks that a turn wants to start (S9)", () => {
  const limits = { ...defaultDelegation, running: 3, perTurn: 4, continuations: 1 };
  const context = (more: Partial<ToolContext> = {}): ToolContext => ({
    ...place,
    ...inherited,
    delegationContext,
    turnId: "t",
    tools: [],
    idempotencyKey: "k",
    signal: new AbortController().signal,
    ...more,
  });
  const wanted = (...ids: string[]) =>
    ids.map((id) => ({ id, callKey: `key-${id}`, name: id, reports: "batch" as const }));
  const want = async (ids: readonly string[], more: Partial<ToolContext> = {}) => {
    const { accepted, refused, reason } = await reserve(parts, limits, context(more), wanted(...ids));
    return { accepted: accepted.map(({ id }) => id), refused, reason };
  };
  const end = (...ids: string[]) =>
    parts.owners.change({ ...place, ownerId: "s" }, (record) => ({
      ...record,
      batches: Object.fromEntries(
        Object.entries(record.batches).map(([turnId, one]) => [
          turnId,
          { ...one, members: one.members.map((each) => (ids.includes(each.id) ? { ...each, ended: true } : each)) },
        ]),
      ),
    }));

  it("then as many start as may be under way at once, and the rest is refused with what to do", async () => {
    expect(await want(["a", "b"])).toMatchObject({ accepted: ["a", "b"], refused: 0 });
    const more = await want(["c", "d"]);
    expect(more).toMatchObject({ accepted: ["c"], refused: 1 });
    expect(more.reason).toContain("at most 3 subtasks may be under way at once");
    expect(await want(["d"])).toMatchObject({ accepted: [], refused: 1 });
  });

  it("when some have ended, then their places are free, up to what one request may have in all", async () => {
    await want(["a", "b", "c"]);
    await end("a", "b");
    const more = await want(["d", "e"]);
    expect(more).toMatchObject({ accepted: ["d"], refused: 1 });
    expect(more.reason).toContain("one request may have 4 subtasks in all");
    await end("c", "d");
    expect(await want(["e"])).toMatchObject({ accepted: [], refused: 1 });
  });

  it("when the same call comes again, then it finds its places taken and takes no others", async () => {
    await want(["a", "b"]);
    expect(await want(["a", "b"])).toMatchObject({ accepted: ["a", "b"], refused: 0 });
    expect((await readOwner(store, { ...place, ownerId: "s" })).batches.t?.members).toMatchObject([
      { id: "a", ended: false },
      { id: "b", ended: false },
    ]);
    expect((await readOwner(store, { ...place, ownerId: "s" })).tallies).toEqual([["t", 2]]);
  });

  it("when continuations delegate again, then only so many of them may", async () => {
    await want(["a"]);
    expect(await want(["b"], { turnId: "t2" })).toMatchObject({ accepted: ["b"] });
    expect(await want(["c"], { turnId: "t2" })).toMatchObject({ accepted: ["c"] });
    await end("a", "b", "c");
    const third = await want(["d"], { turnId: "t3" });
    expect(third).toMatchObject({ accepted: [], refused: 1 });
    expect(third.reason).toContain("delegated again 1 times");
    expect(await want(["d"], { turnId: "t2" })).toMatchObject({ accepted: ["d"] });
  });

  it("when a subtask delegates, then its turn is no continuation, and its work is not listed for an account", async () => {
    const below = { ...delegationContext, owner: worker, depth: 1 };
    expect(await want(["a"], { delegationContext: below, turnId: "x" })).toMatchObject({ accepted: ["a"] });
    expect(await want(["b"], { delegationContext: below, turnId: "y" })).toMatchObject({ accepted: ["b"] });
    expect(await want(["c"], { delegationContext: below, turnId: "z" })).toMatchObject({ accepted: ["c"] });
    expect(await ownersWorkingFor(store, { ...place, channel: "web", accountId: "ann" })).toEqual([]);
  });

  it("then the owner's work is listed for the account that asked", async () => {
    await want(["a"]);
    expect(await ownersWorkingFor(store, { ...place, channel: "web", accountId: "ann" })).toEqual(["s"]);
  });

  it("when the turn was ended meanwhile, then nobody joins its batch", async () => {
    expect(await want(["a"], { signal: AbortSignal.abort() })).toMatchObject({ accepted: [], refused: 1 });
    expect((await readOwner(store, { ...place, ownerId: "s" })).batches).toEqual({});
  });
});
