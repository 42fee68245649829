import { AppError } from "../../contract/app-error.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { createOnce } from "../../contract/ports/update.ts";
import { type Texts, textsFor } from "../../contract/texts/texts.ts";
import { type ToolContext, workContextOfTool } from "../../contract/tool.ts";
import { cutAtGraphemes, MAX_SUMMARY_GRAPHEMES, summarisePrompt } from "../../lib/index.ts";
import { reserveCall } from "../../subtasks/index.ts";
import type { PeeringConfig } from "../../turns/limits/index.ts";
import type { PeerDeps } from "../deps.ts";
import { addressOf } from "../identity.ts";
import type { Peer } from "../peer-directory.ts";
import { chainOf, nextHop, pairOf } from "../record/hops.ts";
import { callIdOf, callKey, type PeerCall, readCall } from "../record/peer-call.ts";
import { redactInternalIds } from "../record/redact.ts";
import { peerCallSpan } from "./settle-call.ts";

interface CallRequest {
  readonly peer: Peer;
  readonly mode: PeerCall["mode"];
  readonly message: string;
}

/**
 * Stores a call and publishes it. Idempotent per tool call: a repeat after a crash continues at the step that failed.
 * Throws an error with text for the model if the call is not allowed.
 */
export const openCall = async (
  deps: PeerDeps,
  peering: PeeringConfig,
  context: ToolContext,
  request: CallRequest,
): Promise<PeerCall> => {
  const { tenant, agent } = context;
  const address = { tenant, agent, id: callIdOf(context) };
  const known = await readCall(deps.store, address);
  const call = known ?? newCall(deps, peering, context, request, address.id);
  if (known === undefined) {
    if (call.mode !== "notify") await reserve(deps, peering, context, call);
    await deps.checkpoint("call.reserved");
    await create(deps, call);
  }
  await deps.checkpoint("call.created");
  await deps.bus.publish(subjectsOf(tenant).peerCall(agent), address, { id: call.id, key: call.id });
  await deps.checkpoint("call.published");
  if (call.mode !== "notify") deps.activity.touch({ ...call, owner: call.standing.owner, parentTurnId: call.turnId });
  return call;
};

const newCall = (
  { clock, remoteAgents }: PeerDeps,
  { expiryMs }: PeeringConfig,
  context: ToolContext,
  { peer, mode, message }: CallRequest,
  id: string,
): PeerCall => {
  const { tenant, agent, turnId, delegationContext } = context;
  const now = clock.now();
  const isRemote = peer.kind === "remote";
  const own = remoteAgents.ownAddress(agent);
  const to = isRemote ? addressOf(peer.url) : undefined;
  if (to !== undefined && `${to}/`.startsWith(`${own}/`)) {
    throw new AppError("forbidden", `Not sent: "${peer.name}" is another address of this agent. Do the work yourself.`);
  }
  const pair = to === undefined ? pairOf(agent, peer.name) : pairOf(own, to);
  const chain = nextHop(chainOf(context), { root: delegationContext.rootTurnId, pair, to, now });
  if (chain === undefined) {
    const why = `you and "${peer.name}" have reached the limit of messages about this work`;
    throw new AppError("forbidden", `Not sent: ${why}. Decide with what you know, and say so.`);
  }
  const endsAtOnce = mode === "notify" && !isRemote;
  return {
    id,
    tenant,
    agent,
    peer: peer.name,
    mode,
    message,
    headline: headlineOf(peer.name, message, context.tools, textsFor(context.asker.locale)),
    turnId,
    ...workContextOfTool(context),
    chain,
    // A notification to a local peer has no answer, so it ends at once.
    state: endsAtOnce ? "answered" : "open",
    createdAt: isoTime(now),
    deadlineAt: now + ((isRemote ? peer.deadlineMs : undefined) ?? expiryMs),
    ...(endsAtOnce && { endedAt: isoTime(now) }),
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

/** Adds the call to its turn's batch, next to the subtasks. One compare-and-set covers the limit and the list. */
const reserve = async (
  deps: PeerDeps,
  { openCalls: maxOpen }: PeeringConfig,
  context: ToolContext,
  { id, headline: name }: PeerCall,
): Promise<void> => {
  if (await reserveCall(deps, maxOpen, context, { id, name })) return;
  throw new AppError(
    "forbidden",
    `Not sent: the limit of ${maxOpen} unanswered messages is reached. Wait until some are answered.`,
  );
};

const create = async ({ store, clock, meter, logger, tracer }: PeerDeps, call: PeerCall): Promise<void> => {
  if ((await createOnce(store, callKey(call), call)) === undefined) return;
  const { id, agent, peer, mode, turnId, traceId } = call;
  meter.count("peer_calls_total", { agent, mode });
  logger.info({ call: id, agent, peer, mode, turnId, traceId }, "peer call opened");
  if (call.state !== "open") tracer?.record(peerCallSpan(call, clock.now()));
};

/** Longer than any headline; bounds the work for a long message. */
const MAX_EXAMINED_CHARS = 1_000;

/** The short sentence that people see about a call, without internal names (A6). */
export const headlineOf = (peer: string, message: string, tools: ToolContext["tools"], { agents }: Texts): string => {
  const about = redactInternalIds(message.slice(0, MAX_EXAMINED_CHARS), tools);
  const headline = about === "" ? agents.asking(peer) : agents.askingAbout(peer, summarisePrompt(about));
  return cutAtGraphemes(headline, MAX_SUMMARY_GRAPHEMES);
};
