import { isoTime } from "../contract/clock.ts";
import type { PeerCallAddress } from "../contract/peer-call-address.ts";
import { subjectsOf } from "../contract/subjects.ts";
import { cutToBytes } from "../lib/index.ts";
import { afterGate, type Batch, countCallEnd, openCalls, type SubtaskParts, wake } from "../subtasks/index.ts";
import type { CoreParts } from "../turns/index.ts";
import { callbackMessage } from "./callback.ts";
import { changeCall } from "./change-call.ts";
import type { PeerCall } from "./peer-call.ts";
import { comesLater } from "./peer-call.ts";
import { peerCallSpan } from "./peer-call-span.ts";
import { tellSubtask } from "./tell-subtask.ts";
import { wordsFrom } from "./words-of-peer.ts";

type Place = Pick<PeerCallAddress, "tenant" | "agent">;

export type Settlement = ({ readonly answer: string } | { readonly error: string; readonly detail?: string }) &
  Pick<PeerCall, "answeredBy">;

const MOST_BYTES = 60_000;
const MOST_DETAIL_BYTES = 2_000;

/**
 * Closes a call, once, and tells whoever asked. Everything that follows has fixed ids, so a repeat says it again and
 * changes nothing; another answer to the same call is not heard.
 */
export const settleCall = async (
  parts: SubtaskParts,
  address: PeerCallAddress,
  settlement: Settlement,
): Promise<void> => {
  const endedAt = isoTime(parts.clock.now());
  let isFirst = false;
  const call = await changeCall(parts, address, (open) => {
    isFirst = true;
    return { ...open, ...ended(settlement), endedAt };
  });
  if (call === undefined) {
    parts.logger.warn({ call: address.id, agent: address.agent }, "an answer to a message that is no longer known");
    return;
  }
  await parts.checkpoint("call.settled");
  if (isFirst) {
    parts.meter.count("peer_answers_total", { agent: call.agent, outcome: call.state });
    parts.tracer?.record(peerCallSpan(call, parts.clock.now()));
  }
  await tellCaller(parts, call);
  await parts.checkpoint("call.told");
};

/**
 * The turn that sent them has ended: their answers come later, and a call without a record is not waited for. If the
 * turn failed, the questions that it read were not shown to the person, so they get a turn of their own.
 */
export const releaseCalls = async (
  parts: SubtaskParts,
  place: Place,
  batch: Batch,
  { hasFailed }: { readonly hasFailed: boolean },
): Promise<void> => {
  const { turnId, standing } = batch;
  const address = { ...place, ownerId: standing.owner.ownerId, turnId };
  for (const { id } of openCalls(batch)) {
    const call = await demoteCall(parts, { ...place, id }, hasFailed ? withoutReadQuestion : undefined);
    if (call === undefined) await countEnd(parts, address, { id });
  }
};

type Ended = Pick<PeerCall, "state" | "answer" | "error" | "detail" | "answeredBy">;

const ended = ({ answeredBy, ...said }: Settlement): Ended => ({
  ...("answer" in said
    ? { state: "answered", answer: cutToBytes(said.answer, MOST_BYTES) }
    : {
        state: "failed",
        error: cutToBytes(said.error, MOST_BYTES),
        ...(said.detail !== undefined && { detail: cutToBytes(said.detail, MOST_DETAIL_BYTES) }),
      }),
  ...(answeredBy !== undefined && { answeredBy }),
});

/** Who waits in its turn reads the record; a subtask is told; a session gets a turn of its own. */
export const tellCaller = async (parts: SubtaskParts, call: PeerCall): Promise<void> => {
  if (call.mode === "notify") return;
  const { tenant, agent, id, turnId, standing } = call;
  if (comesLater(call)) {
    if (standing.subtaskId === undefined) await wake(parts, call, callbackMessage(call));
    else await tellSubtask(parts, call, wordsFrom(call, call.state === "answered" ? "result" : "error"));
  }
  // Counted after it was told: a subtask that waits for this goes on with what it was told.
  await countEnd(parts, { tenant, agent, ownerId: standing.owner.ownerId, turnId }, { id, isLater: comesLater(call) });
};

const countEnd = async (
  parts: SubtaskParts,
  batch: Parameters<typeof countCallEnd>[1],
  call: Parameters<typeof countCallEnd>[2],
): Promise<void> => {
  const { tenant, agent } = batch;
  await afterGate(parts, batch, await countCallEnd(parts, batch, call));
  parts.bus.signal(subjectsOf(tenant).peerCallChanged(agent), { tenant, agent, id: call.id });
};

/** No turn waits for it any longer: the answer comes later (A1). */
export const demoteCall = async (
  parts: CoreParts,
  address: PeerCallAddress,
  change = (call: PeerCall): PeerCall => call,
): Promise<PeerCall | undefined> => {
  const demotedAt = isoTime(parts.clock.now());
  return changeCall(parts, address, (call) => (comesLater(call) ? call : { ...change(call), demotedAt }));
};

const withoutReadQuestion = (call: PeerCall): PeerCall => {
  if (call.remote?.questionRead === undefined) return call;
  const { questionRead: _, ...remote } = call.remote;
  return { ...call, remote };
};
