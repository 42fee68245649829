import { beforeEach, describe, expect, it } from "vitest";
import type { PeerCall } from "../../../core/a2a/record/peer-call.ts";
import { callKey, peerSessionOf } from "../../../core/a2a/record/peer-call.ts";
import type { WorkTree } from "../../../core/commands/explain/work-tree.ts";
import { workTree } from "../../../core/commands/explain/work-tree.ts";
import type { Subtask } from "../../../core/contract/messages/subtask.ts";
import type { OwnerContext } from "../../../core/contract/messages/work-context.ts";
import { english } from "../../../core/contract/texts/texts.ts";
import type { Batch } from "../../../core/subtasks/owner/batch.ts";
import { ownerKey } from "../../../core/subtasks/owner/owner-record.ts";
import { writeSubtask } from "../../../core/subtasks/record/subtask-record.ts";
import { MemoryStore } from "../../adapters/web/memory-store.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";

const AT = "2026-03-10T21:00:00.000Z";
const ref = { tenant: "default", agent: "mooring" };
const [ONE, TWO] = ["subtask-00000001", "subtask-00000002"];
const origin = { channel: "web", promptSummary: "tides", startedAt: AT, sessionId: "s" };
const audience = { conversation: { channel: "web", room: "r", kind: "private" as const }, personId: "p" };
const asker = { personId: "p", accountId: "ann", name: "Ann" };
const owner: OwnerContext = { ownerType: "agent", ownerId: "s" };
const delegationContext = { owner, depth: 0, rootTurnId: "t", background: false };
const inherited = { sessionId: "s", standing: delegationContext, origin, audience, asker, traceId: "trace" };

let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore(new ManualClock(Date.parse(AT)));
});

const storeSubtask = (id: string, name: string, more: Partial<Subtask> = {}) =>
  writeSubtask(
    store,
    {
      ...ref,
      id,
      callKey: "c",
      parentTurnId: "t",
      parentSessionId: "s",
      planId: "t",
      agentType: "worker",
      name,
      prompt: "p",
      expectedOutput: "o",
      depth: 1,
      reports: "batch",
      permissions: { tools: [] },
      owner,
      asker,
      origin,
      audience,
      background: false,
      traceId: "trace",
      status: "completed",
      createdAt: AT,
      runs: 1,
      yields: 0,
      notes: 0,
      inbox: [],
      ...more,
    },
    0,
  );
const batch = (more: Partial<Batch>): Batch => ({ turnId: "t", ...inherited, members: [], openedAt: 0, ...more });
const member = (id: string, name: string) => ({ id, name, callKey: "c", reports: "batch" as const, ended: true });
const storeBatches = (ownerId: string, agent: string, ...batches: Batch[]) =>
  store.put(ownerKey({ tenant: "default", agent, ownerId }), {
    batches: Object.fromEntries(batches.map((one) => [one.turnId, one])),
    tallies: [],
  });
const call = (id: string, more: Partial<PeerCall> = {}): PeerCall => ({
  ...ref,
  ...inherited,
  id,
  peer: "pilot",
  mode: "task_delegate",
  message: "m",
  headline: "h",
  turnId: "t",
  chain: { root: "t", hops: {}, lastHopAt: 0 },
  state: "answered",
  createdAt: AT,
  deadlineAt: 0,
  notes: 0,
  ...more,
});
const lines = (work: readonly WorkTree[], depth = 0): string[] =>
  work.flatMap(({ kind, name, outcome, steps }) => [
    `${" ".repeat(depth)}${kind} ${name}: ${outcome}`,
    ...lines(steps, depth + 1),
  ]);
const done = async (...steps: { kind: string; id: string; name: string }[]) =>
  lines(await workTree(store, ref, steps, english));

describe("given the steps behind an answer, when they are explained (O13)", () => {
  it("then a subtask has its outcome and the work that it delegated", async () => {
    await storeSubtask(ONE, "north");
    await storeSubtask(TWO, "deep", { status: "failed" });
    const calls = [{ id: "call-expired", name: "pilot", ended: true }];
    await storeBatches(ONE, "mooring", batch({ members: [member(TWO, "deep")], calls }));
    expect(await done({ kind: "subtask", id: ONE, name: "north" })).toEqual([
      "subtask north: completed",
      " subtask deep: failed",
      " peer pilot: undefined",
    ]);
  });

  it("when a step is no longer stored or its kind is unknown, then it keeps its name", async () => {
    expect(await done({ kind: "subtask", id: ONE, name: "north" }, { kind: "poem", id: "x", name: "ode" })).toEqual([
      "subtask north: undefined",
      "poem ode: undefined",
    ]);
  });

  it.each([
    [{ state: "answered" }, "answered"],
    [{ state: "failed" }, "failed"],
    [{ state: "open" }, "no answer yet"],
    [{ state: "open", remote: { unreachableSince: Date.parse(AT) } }, "unreachable, retrying since 21:00 UTC"],
  ])("when the call to another agent is %j, then its outcome is: %s", async (more, outcome) => {
    const remote = { contextId: "c", looks: 0, seen: [], rounds: 0, asked: {}, answers: [], sent: 0 };
    const full = "remote" in more ? { ...more, remote: { ...remote, ...more.remote } } : more;
    const asked = call("call-1", full as Partial<PeerCall>);
    await store.put(callKey(asked), asked);
    expect(await done({ kind: "peer", id: "call-1", name: "pilot" })).toEqual([`peer pilot: ${outcome}`]);
  });

  it("then a call to an agent of this deployment has the work that this agent delegated for it, and only that", async () => {
    const asked = call("call-1");
    await store.put(callKey(asked), asked);
    const worksFor = (id: string) => ({ kind: "peer-call" as const, ...ref, id });
    const ownedFor = (id: string) => ({ ...delegationContext, owner: { ...owner, worksFor: worksFor(id) } });
    await storeBatches(
      peerSessionOf(asked),
      "pilot",
      batch({ turnId: "t1", standing: ownedFor("call-1"), members: [member(ONE, "chart")] }),
      batch({ turnId: "t2", standing: ownedFor("call-2"), members: [member(TWO, "other")] }),
      batch({ turnId: "t3", members: [member(TWO, "own")] }),
    );
    await storeSubtask(ONE, "chart", { agent: "pilot" });
    expect(await done({ kind: "peer", id: "call-1", name: "pilot" })).toEqual([
      "peer pilot: answered",
      " subtask chart: completed",
    ]);
  });
});
