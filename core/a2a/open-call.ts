import { AppError, RevisionConflict } from "../contract/app-error.ts";
import { isoTime } from "../contract/clock.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { ToolContext } from "../contract/tool.ts";
import { openBatch, openCalls, pointToWork, withBatch } from "../subtasks/index.ts";
import { inheritedFrom, type PeeringConfig } from "../turns/index.ts";
import { addressOf } from "./agent-address.ts";
import { callIdOf } from "./call-id.ts";
import { headlineOf } from "./headline.ts";
import { chainOf, nextHop, pairOf } from "./hops.ts";
import type { PeerCall } from "./peer-call.ts";
import { callKey, readCall } from "./peer-call.ts";
import { peerCallSpan } from "./peer-call-span.ts";
import type { Peer } from "./peer-directory.ts";
import type { PeerParts } from "./peer-parts.ts";

export interface Wish {
  readonly peer: Peer;
  readonly mode: PeerCall["mode"];
  readonly message: string;
}

/**
 * Writes a message to another agent down and has the bus bring it on its way. The same tool call always means the same
 * message: after a death it goes on where it stopped. Throws in words for the model if it may not be sent.
 */
export const openCall = async (
  parts: PeerParts,
  peering: PeeringConfig,
  context: ToolContext,
  wish: Wish,
): Promise<PeerCall> => {
  const { tenant, agent } = context;
  const address = { tenant, agent, id: callIdOf(context) };
  const known = await readCall(parts.store, address);
  const call = known ?? newCall(parts, peering, context, wish, address.id);
  if (known === undefined) {
    if (call.mode !== "notify") await reserve(parts, peering, context, call);
    await parts.checkpoint("call.reserved");
    await create(parts, call);
  }
  await parts.checkpoint("call.created");
  await parts.bus.publish(subjectsOf(tenant).peerCall(agent), address, { id: call.id, key: call.id });
  await parts.checkpoint("call.published");
  if (call.mode !== "notify") parts.activity.touch({ ...call, owner: call.standing.owner, parentTurnId: call.turnId });
  return call;
};

const newCall = (
  { clock, remoteAgents }: PeerParts,
  { expiryMs }: PeeringConfig,
  context: ToolContext,
  { peer, mode, message }: Wish,
  id: string,
): PeerCall => {
  const { tenant, agent, turnId, standing } = context;
  const now = clock.now();
  const isRemote = peer.kind === "remote";
  const own = remoteAgents.ownAddress(agent);
  const to = isRemote ? addressOf(peer.url) : undefined;
  if (to !== undefined && `${to}/`.startsWith(`${own}/`)) {
    throw new AppError("forbidden", `Not sent. "${peer.name}" is you yourself, by another way. Do it yourself.`);
  }
  const pair = to === undefined ? pairOf(agent, peer.name) : pairOf(own, to);
  const chain = nextHop(chainOf(context), { root: standing.rootTurnId, pair, to, now });
  if (chain === undefined) {
    const why = `You and "${peer.name}" have passed this to and fro as often as may be.`;
    throw new AppError("forbidden", `Not sent. ${why} Decide with what you know, and say so.`);
  }
  const isTold = mode === "notify" && !isRemote;
  return {
    id,
    tenant,
    agent,
    peer: peer.name,
    mode,
    message,
    headline: headlineOf(peer.name, message),
    turnId,
    ...inheritedFrom(context),
    chain,
    // Nothing comes back of it, so there is nothing to wait for.
    state: isTold ? "answered" : "open",
    createdAt: isoTime(now),
    deadlineAt: now + ((isRemote ? peer.deadlineMs : undefined) ?? expiryMs),
    ...(isTold && { endedAt: isoTime(now) }),
    notes: 0,
    ...(isRemote && { remote: newRemote(id) }),
  };
};

const newRemote = (id: string): NonNullable<PeerCall["remote"]> => ({
  contextId: id,
  looks: 0,
  seen: [],
  rounds: 0,
  asked: {},
  answers: [],
  sent: 0,
});

/** A place among what the owner waits for, beside its subtasks: one compare-and-set for the limit and the list. */
const reserve = async (
  { owners, store, clock }: PeerParts,
  { openCalls: most }: PeeringConfig,
  context: ToolContext,
  { id, headline }: PeerCall,
): Promise<void> => {
  const { tenant, agent, standing, turnId, audience } = context;
  const address = { tenant, agent, ownerId: standing.owner.ownerId };
  const now = clock.now();
  if (standing.owner.ownerType !== "worker") await pointToWork(store, address, audience, now);
  const { after } = await owners.change(address, (record) => {
    const batch = record.batches[turnId] ?? openBatch(context, now);
    const open = Object.values(record.batches).flatMap(openCalls);
    if (batch.calls?.some((call) => call.id === id) || open.length >= most) return record;
    return withBatch(record, { ...batch, calls: [...(batch.calls ?? []), { id, name: headline, ended: false }] });
  });
  if (after.batches[turnId]?.calls?.some((call) => call.id === id)) return;
  throw new AppError("forbidden", `Not sent: ${most} messages wait for an answer already. Wait until some have one.`);
};

const create = async ({ store, clock, meter, logger, tracer }: PeerParts, call: PeerCall): Promise<void> => {
  try {
    await store.put(callKey(call), call, { ifRevision: 0 });
  } catch (error) {
    if (error instanceof RevisionConflict) return;
    throw error;
  }
  const { id, agent, peer, mode, turnId, traceId } = call;
  meter.count("peer_calls_total", { agent, mode });
  logger.info({ call: id, agent, peer, mode, turnId, traceId }, "message to another agent");
  if (call.state !== "open") tracer?.record(peerCallSpan(call, clock.now()));
};
