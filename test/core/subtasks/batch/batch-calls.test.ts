import { beforeEach, describe, expect, it } from "vitest";
import type { Subtask } from "../../../../core/contract/messages/subtask.ts";
import type { ToolContext } from "../../../../core/contract/tool.ts";
import { WorkingMemory } from "../../../../core/memory/index.ts";
import { saveLateResult } from "../../../../core/subtasks/batch/batch-effects.ts";
import { reserveCall } from "../../../../core/subtasks/batch/reserve.ts";
import type { SubtaskDeps } from "../../../../core/subtasks/deps.ts";
import { readOwner } from "../../../../core/subtasks/owner/owner-record.ts";
import { OwnerRecordWriter } from "../../../../core/subtasks/owner/owner-record-writer.ts";
import { ownersWorkingFor } from "../../../../core/subtasks/owner/work-index.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { memberPermit } from "../../../fakes/sample-permit.ts";

const agentRef = { tenant: "default", agent: "mooring" };
const ann = { ...agentRef, channel: "web", accountId: "ann" };
const delegationContext = {
  owner: { ownerType: "agent" as const, ownerId: "s" },
  depth: 0,
  rootTurnId: "t",
  background: false,
};

let clock: ManualClock;
let store: MemoryStore;
let logger: RecordingLogger;
let deps: SubtaskDeps;
beforeEach(() => {
  clock = new ManualClock();
  store = new MemoryStore(clock);
  logger = new RecordingLogger();
  deps = { store, clock, logger, owners: new OwnerRecordWriter(store, clock) } as unknown as SubtaskDeps;
});

describe("given a turn that calls other agents", () => {
  const context = (more: Partial<ToolContext> = {}): ToolContext => ({
    ...agentRef,
    sessionId: "s",
    origin: { channel: "web", promptSummary: "tides", startedAt: new Date(clock.now()).toISOString(), sessionId: "s" },
    audience: { conversation: { channel: "web", room: "r", kind: "private" }, personId: "p", accountId: "ann" },
    asker: { personId: "p", accountId: "ann", name: "Ann" },
    traceId: "trace",
    delegationContext,
    turnId: "t",
    permit: memberPermit,
    tools: [],
    idempotencyKey: "k",
    signal: new AbortController().signal,
    ...more,
  });
  const call = (id: string, more: Partial<ToolContext> = {}) =>
    reserveCall(deps, 2, context(more), { id, name: `agent ${id}` });
  const callsOf = async (turnId = "t", ownerId = "s") =>
    (await readOwner(store, { ...agentRef, ownerId })).batches[turnId]?.calls;

  it("then each call is an open part of the batch of its turn, up to the limit of the owner", async () => {
    expect([await call("a"), await call("b", { turnId: "t2" }), await call("c")]).toEqual([true, true, false]);
    expect(await callsOf()).toEqual([{ id: "a", name: "agent a", ended: false }]);
    expect(await callsOf("t2")).toEqual([{ id: "b", name: "agent b", ended: false }]);
  });

  it("when the same call is repeated, then it is counted once, also at the limit", async () => {
    expect([await call("a"), await call("a"), await call("b"), await call("a")]).toEqual([true, true, true, true]);
    expect((await callsOf())?.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it("when no call is allowed, then the call is refused and no batch is opened", async () => {
    expect(await reserveCall(deps, 0, context(), { id: "a", name: "agent a" })).toBe(false);
    expect(await callsOf()).toBeUndefined();
  });

  it("then the owner is indexed under the account that asked, but not a subtask", async () => {
    const worker = { ownerType: "worker" as const, ownerId: "subtask-1" };
    await call("a", { delegationContext: { ...delegationContext, owner: worker, depth: 1 } });
    expect(await callsOf("t", "subtask-1")).toHaveLength(1);
    expect(await ownersWorkingFor(store, ann)).toEqual([]);
    await call("b");
    expect(await ownersWorkingFor(store, ann)).toEqual(["s"]);
  });
});

describe("given a subtask whose result missed the synthesis (B4)", () => {
  const subtask = (more: object = {}) =>
    ({
      id: "subtask-1",
      name: "tides",
      status: "completed",
      parentSessionId: "s",
      traceId: "trace",
      ...more,
    }) as Subtask;
  const note = () => new WorkingMemory(store, clock, "s").get("notifications/subtasks/subtask-1");

  it("then the working memory of the owner's session has its output and its error", async () => {
    await saveLateResult(deps, subtask({ result: { output: "high at nine", error: "one port is missing" } }));
    expect(await note()).toBe('late result of "tides" (completed)\n\nhigh at nine\n\none port is missing');
    await saveLateResult(deps, subtask({ status: "failed", result: { error: "timeout" } }));
    expect(await note()).toBe('late result of "tides" (failed)\n\ntimeout');
    await saveLateResult(deps, subtask({ status: "cancelled" }));
    expect(await note()).toBe('late result of "tides" (cancelled)\n\n');
  });

  it("when the memory cannot be written, then a warning names the subtask, and the caller goes on", async () => {
    store.before = () => {
      throw new Error("the memory is full");
    };
    await saveLateResult(deps, subtask());
    expect(logger.lines.items).toMatchObject([
      { level: "warn", fields: { subtask: "subtask-1", traceId: "trace", error: "the memory is full" } },
    ]);
  });
});
