import type { DelegationContext } from "../../contract/messages/work-context.ts";
import { type ToolContext, workContextOfTool } from "../../contract/tool.ts";
import type { DelegationConfig } from "../../turns/limits/index.ts";
import type { SubtaskDeps } from "../deps.ts";
import { type Batch, type BatchCall, type Member, openCalls } from "../owner/batch.ts";
import { minuteLeft, type OwnerRecord, usageOf, withBatch, withStarted, withUsage } from "../owner/owner-record.ts";
import { indexWork } from "../owner/work-index.ts";

interface Reservation {
  readonly accepted: readonly Member[];
  /** The number of refused subtasks. */
  readonly refused: number;
  readonly reason: string;
  /** The members of the owner that run at the same time as the accepted ones. */
  readonly running: readonly Member[];
}

type RequestedMember = Pick<Member, "id" | "callKey" | "name" | "reports" | "targetFiles">;

/** Adds subtasks to their batch within the limits (S9). A repeated call finds its members reserved. */
export const reserve = async (
  { owners, store, clock }: SubtaskDeps,
  limits: DelegationConfig,
  context: ToolContext,
  requested: readonly RequestedMember[],
): Promise<Reservation> => {
  const { tenant, agent, delegationContext, turnId, signal } = context;
  const now = clock.now();
  const address = { tenant, agent, ownerId: delegationContext.owner.ownerId };
  if (delegationContext.owner.ownerType !== "worker") await indexWork(store, address, context.audience, now);
  const { before, after } = await owners.change(address, (record) => {
    // An aborted turn is about to seal its batch, and no member may join after that.
    if (signal.aborted) return record;
    const batch = record.batches[turnId] ?? openBatch(context, now);
    const fresh = requested.filter(({ callKey }) => !batch.members.some((member) => member.callKey === callKey));
    const { slots } = slotsLeft(record, limits, context, now);
    const added = fresh.slice(0, slots).map((member) => ({ ...member, ended: false }));
    if (added.length === 0) return record;
    const withMembers = withBatch(record, { ...batch, members: [...batch.members, ...added] });
    return withStarted(withSpawnsCounted(withMembers, context, added.length), added.length, now);
  });
  const taken = after.batches[turnId]?.members ?? [];
  const accepted = requested.flatMap(({ callKey }) => taken.find((member) => member.callKey === callKey) ?? []);
  const members = Object.values(after.batches).flatMap((batch) => batch.members);
  return {
    accepted,
    running: members.filter(({ ended }) => !ended),
    refused: requested.length - accepted.length,
    reason: slotsLeft(before, limits, context, now).reason,
  };
};

const slotsLeft = (
  record: OwnerRecord,
  limits: DelegationConfig,
  { delegationContext, turnId }: ToolContext,
  now: number,
) => {
  const members = Object.values(record.batches).flatMap((batch) => batch.members);
  const free = limits.running - members.filter(({ ended }) => !ended).length;
  const { spawned, respawns } = usageOf(delegationContext.rootTurnId, record);
  const left = limits.perTurn - spawned;
  const others = respawns.filter((other) => other !== turnId).length;
  if (isContinuation(delegationContext, turnId) && others >= limits.continuations) {
    const reason = `work on one request may be delegated again at most ${limits.continuations} times. Answer with the results you have`;
    return { slots: 0, reason };
  }
  const minute = minuteLeft(record, limits.perMinute, now);
  if (minute.left < Math.min(left, free)) {
    const seconds = Math.ceil(minute.retryInMs / 1_000);
    const reason = `at most ${limits.perMinute} subtasks may be started within a minute. The next ones can start in ${seconds} s; do this work yourself or tell the person`;
    return { slots: Math.max(0, minute.left), reason };
  }
  return left <= free
    ? { slots: Math.max(0, left), reason: `one request may have ${limits.perTurn} subtasks in all` }
    : {
        slots: Math.max(0, free),
        reason: `at most ${limits.running} subtasks may be under way at once. Wait for some of them with await_subtasks, then spawn the rest`,
      };
};

const withSpawnsCounted = (
  record: OwnerRecord,
  { delegationContext, turnId }: ToolContext,
  by: number,
): OwnerRecord => {
  const { spawned, respawns } = usageOf(delegationContext.rootTurnId, record);
  const isNew = isContinuation(delegationContext, turnId) && !respawns.includes(turnId);
  return withUsage(record, delegationContext.rootTurnId, {
    spawned: spawned + by,
    respawns: isNew ? [...respawns, turnId] : respawns,
  });
};

/** A later turn of the session about the same request. Turns of subtasks do not count: depth limits them. */
const isContinuation = ({ depth, rootTurnId }: DelegationContext, turnId: string): boolean =>
  depth === 0 && turnId !== rootTurnId;

const openBatch = (context: ToolContext, now: number): Batch => ({
  turnId: context.turnId,
  ...workContextOfTool(context),
  members: [],
  openedAt: now,
});

/** Calls to other agents and calls that wait for an approval have separate limits; the prefix of the id tells them apart. */
const kindOf = ({ id }: Pick<BatchCall, "id">): string => id.slice(0, id.indexOf("-"));

/** Counts a call into its batch, unless the owner has `max` open calls of this kind. Idempotent; false: refused. */
export const reserveCall = async (
  { owners, store, clock }: SubtaskDeps,
  max: number,
  context: ToolContext,
  { id, name }: Pick<BatchCall, "id" | "name">,
): Promise<boolean> => {
  const { tenant, agent, delegationContext, turnId, audience } = context;
  const address = { tenant, agent, ownerId: delegationContext.owner.ownerId };
  const now = clock.now();
  if (delegationContext.owner.ownerType !== "worker") await indexWork(store, address, audience, now);
  const { after } = await owners.change(address, (record) => {
    const batch = record.batches[turnId] ?? openBatch(context, now);
    const open = Object.values(record.batches)
      .flatMap(openCalls)
      .filter((call) => kindOf(call) === kindOf({ id }));
    if (batch.calls?.some((call) => call.id === id) || open.length >= max) return record;
    return withBatch(record, { ...batch, calls: [...(batch.calls ?? []), { id, name, ended: false }] });
  });
  return after.batches[turnId]?.calls?.some((call) => call.id === id) ?? false;
};
