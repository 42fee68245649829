import type { PeerCallAddress } from "../../contract/messages/addresses.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { SpanRecord } from "../../contract/ports/telemetry.ts";
import { cutToBytes } from "../../lib/index.ts";
import { endCall, enqueueTurn, type SubtaskDeps } from "../../subtasks/index.ts";
import { peerCallSpanId, workSpanId } from "../../telemetry/index.ts";
import type { CoreDeps } from "../../turns/index.ts";
import { changeCall, comesLater, type PeerCall } from "../record/peer-call.ts";
import { updateFrom } from "../record/peer-update.ts";
import { callbackMessage } from "./callback-turn.ts";
import { notifySubtask } from "./fold-back.ts";

type Settlement = ({ readonly answer: string } | { readonly error: string; readonly detail?: string }) &
  Pick<PeerCall, "answeredBy" | "files">;

const MAX_BYTES = 60_000;
const MAX_FILES = 20;
const MAX_DETAIL_BYTES = 2_000;

/**
 * Ends a call and notifies the caller. A repeat is idempotent, because every message that follows has a fixed id. The
 * first settlement wins; a second answer to the same call is ignored.
 */
export const settleCall = async (
  deps: SubtaskDeps,
  address: PeerCallAddress,
  settlement: Settlement,
): Promise<void> => {
  const endedAt = isoTime(deps.clock.now());
  let isFirst = false;
  const call = await changeCall(deps, address, (open) => {
    isFirst = true;
    return { ...open, ...endFields(settlement), endedAt };
  });
  if (call === undefined) {
    deps.logger.warn({ call: address.id, agent: address.agent }, "peer call has expired, answer dropped");
    return;
  }
  await deps.checkpoint("call.settled");
  if (isFirst) {
    deps.meter.count("peer_answers_total", { agent: call.agent, outcome: call.state });
    deps.tracer?.record(peerCallSpan(call, deps.clock.now()));
  }
  await notifyCaller(deps, call);
  await deps.checkpoint("call.notified");
};

type EndFields = Pick<PeerCall, "state" | "answer" | "error" | "detail" | "answeredBy" | "files">;

const endFields = ({ answeredBy, files = [], ...result }: Settlement): EndFields => ({
  ...("answer" in result
    ? { state: "answered", answer: cutToBytes(result.answer, MAX_BYTES) }
    : {
        state: "failed",
        error: cutToBytes(result.error, MAX_BYTES),
        ...(result.detail !== undefined && { detail: cutToBytes(result.detail, MAX_DETAIL_BYTES) }),
      }),
  ...(answeredBy !== undefined && { answeredBy }),
  ...(files.length > 0 && { files: files.slice(0, MAX_FILES) }),
});

/** A turn that waits reads the record itself; a subtask gets a note, a session gets a turn. */
export const notifyCaller = async (deps: SubtaskDeps, call: PeerCall): Promise<void> => {
  if (call.mode === "notify") return;
  const { tenant, agent, id, turnId, standing: delegationContext } = call;
  if (comesLater(call) && call.cancelledAt === undefined) {
    if (delegationContext.subtaskId === undefined) await enqueueTurn(deps, call, callbackMessage(call));
    else await notifySubtask(deps, call, updateFrom(call, call.state === "answered" ? "result" : "error"));
  }
  // Counted after the notification, because the count resumes a waiting subtask, which then reads the note.
  await countEnd(
    deps,
    { tenant, agent, ownerId: delegationContext.owner.ownerId, turnId },
    { id, isLater: comesLater(call) },
  );
};

export const countEnd = async (
  deps: SubtaskDeps,
  batch: Parameters<typeof endCall>[1],
  call: Parameters<typeof endCall>[2],
): Promise<void> => {
  const { tenant, agent } = batch;
  await endCall(deps, batch, call);
  deps.bus.signal(subjectsOf(tenant).peerCallChanged(agent), { tenant, agent, id: call.id });
};

/** Turns a consultation into a delegation: the turn stops waiting and the answer arrives later (A1). */
export const demoteCall = async (
  deps: CoreDeps,
  address: PeerCallAddress,
  change = (call: PeerCall): PeerCall => call,
): Promise<PeerCall | undefined> => {
  const demotedAt = isoTime(deps.clock.now());
  return changeCall(deps, address, (call) => (comesLater(call) ? call : { ...change(call), demotedAt }));
};

/** Span of a call from its creation to its answer; the remote agent's spans are its children. */
export const peerCallSpan = (call: PeerCall, now: number): SpanRecord => ({
  traceId: call.traceId,
  id: peerCallSpanId(call),
  parentId: workSpanId(call, call.standing),
  name: `invoke_agent ${call.peer}`,
  kind: "client",
  startedAt: Date.parse(call.createdAt),
  endedAt: call.endedAt === undefined ? now : Date.parse(call.endedAt),
  attributes: {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": call.peer,
    "gen_ai.conversation.id": call.remote?.contextId,
    "mooring.tenant": call.tenant,
    "mooring.peer_call.id": call.id,
    "mooring.peer_call.mode": call.mode,
    "mooring.peer_call.remote": call.remote !== undefined,
    "mooring.outcome": call.state,
    "mooring.error.detail": call.detail,
  },
  error: call.state === "failed" ? "failed" : undefined,
});

/** Error text for a call that reached its deadline. */
export const noAnswer = ({ peer, createdAt }: Pick<PeerCall, "peer" | "createdAt">): string =>
  `There is no answer from ${peer}: it was asked at ${createdAt}, and the deadline has passed.`;
