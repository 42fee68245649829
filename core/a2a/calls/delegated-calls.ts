import { subjectsOf } from "../../contract/messages/subjects.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { Store } from "../../contract/ports/store.ts";
import type { Texts } from "../../contract/texts/texts.ts";
import type { SubtaskDeps } from "../../subtasks/index.ts";
import { changeCall, comesLater, type PeerCall, readCalls, unreachableNote } from "../record/peer-call.ts";
import { countEnd, demoteCall, notifyCaller } from "./settle-call.ts";

/** Calls to other agents, as the batches of subtasks see them. */
export const delegatedCalls = (store: Store): SubtaskDeps["calls"] => ({
  items: async (sender, ids, texts) => (await readCalls(store, sender, ids)).map((call) => activityOf(call, texts)),
  release: releaseCalls,
  cancel: cancelCalls,
});

/** A call is running from the moment it is sent, and pending while the peer is unreachable. */
const activityOf = (call: PeerCall, texts: Texts) => {
  const { id, headline, state, createdAt, endedAt, notes, answer, error } = call;
  const unreachable = unreachableNote(call, texts);
  const note = unreachable ?? call.note;
  const shown = ({ open: "running", answered: "completed", failed: "failed" } as const)[state];
  const result = answer ?? error;
  return {
    item: {
      id,
      name: headline,
      state: unreachable === undefined ? shown : ("pending" as const),
      startedAt: createdAt,
      ...(endedAt !== undefined && { endedAt }),
      ...(note !== undefined && { note }),
      ...(result !== undefined && { result }),
    },
    state: shown,
    notes,
  };
};

/**
 * Releases the calls of a turn that has ended: their answers arrive later, and a call without a record counts as ended.
 * If the turn failed, the person has not seen the questions that it read, so each question gets its own turn. A person
 * who stopped the turn also stopped the consultations that it waited for (I3).
 */
const releaseCalls: SubtaskDeps["calls"]["release"] = async (deps, batch, openCalls, { hasFailed, isCancelled }) => {
  const { tenant, agent } = batch;
  const awaited = isCancelled
    ? (await readCalls(deps.store, batch, openCalls)).filter((call) => !comesLater(call))
    : [];
  const stopped = new Set(awaited.map(({ id }) => id));
  await cancelCalls(deps, batch, [...stopped], true);
  for (const id of openCalls.filter((one) => !stopped.has(one))) {
    const call = await demoteCall(deps, { tenant, agent, id }, hasFailed ? withoutReadQuestion : undefined);
    if (call === undefined) await countEnd(deps, batch, { id });
  }
};

const withoutReadQuestion = (call: PeerCall): PeerCall => {
  if (call.remote?.questionRead === undefined) return call;
  const { questionRead: _, ...remote } = call.remote;
  return { ...call, remote };
};

/** Ends open calls without an answer. The event makes a process cancel the work of the other agent, also after a crash. */
const cancelCalls: SubtaskDeps["calls"]["cancel"] = async (deps, { tenant, agent }, ids, atPeers) => {
  // Otherwise the answer of another agent that was asked already is folded back.
  if (!atPeers) return;
  for (const id of ids) {
    const cancelledAt = isoTime(deps.clock.now());
    const ended = { state: "failed" as const, error: "The call was cancelled.", endedAt: cancelledAt, cancelledAt };
    const call = await changeCall(deps, { tenant, agent, id }, (open) => ({ ...open, ...ended }));
    if (call?.cancelledAt === undefined) continue;
    const subject = subjectsOf(tenant).peerEvent(agent);
    await deps.bus.publish(subject, { tenant, agent, id }, { id: `${id}/cancel`, key: id });
    await notifyCaller(deps, call);
  }
};
