import { createHash } from "node:crypto";
import { z } from "zod";
import { FileRef } from "../../contract/file-ref.ts";
import type { AgentRef, PeerCallAddress } from "../../contract/messages/addresses.ts";
import { PeerMode } from "../../contract/messages/inbound-call.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { PeerChain, WorkContext } from "../../contract/messages/work-context.ts";
import { RETENTION_MS } from "../../contract/ports/bus.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { collection, keyOf, type Store } from "../../contract/ports/store.ts";
import { update } from "../../contract/ports/update.ts";
import type { Texts } from "../../contract/texts/texts.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { stableId } from "../../lib/index.ts";
import { callbackIdOf } from "../../subtasks/index.ts";
import type { CoreDeps } from "../../turns/index.ts";

/** The task at a remote agent, as far as it is known here. */
export const RemoteTask = z.looseObject({
  /** Chosen by us, so that a task whose id was lost in a crash can be found again. */
  contextId: z.string(),
  /** Known once the remote agent has accepted the message. */
  taskId: z.string().optional(),
  /** Number of polls so far; the pause before the next one grows with it. */
  looks: z.int(),
  /** Keys of the updates that were applied, to skip duplicates. */
  seen: z.array(z.string()),
  /** The remote agent's question, until it is answered. */
  question: z.string().optional(),
  /** The round whose question a consultation returned as its tool result; it needs no separate turn. */
  questionRead: z.int().optional(),
  /** Number of questions so far. */
  rounds: z.int(),
  /** Repeats of a question by its hash; the text itself could collide with names such as "constructor". */
  asked: z.record(z.string(), z.int()),
  /** Our answers, in order; `sent` counts those that the remote agent has received. */
  answers: z.array(z.looseObject({ key: z.string(), text: z.string() })),
  sent: z.int(),
  /** Lease of the process that sends the next answer; in the past: a send was tried. Wall clock, milliseconds. */
  claimedUntil: z.number().optional(),
  /** Time of the first request without an answer. Wall clock, milliseconds. */
  unreachableSince: z.number().optional(),
});
export type RemoteTask = z.infer<typeof RemoteTask>;

/** A message to another agent, stored before it is sent (L1). Only an open call changes; the other states are final. */
export const PeerCall = z.looseObject({
  id: z.string(),
  tenant: z.string(),
  /** The sender. */
  agent: z.string(),
  peer: z.string(),
  mode: PeerMode,
  message: z.string(),
  /** The sentence that people see, without internal names (A6). */
  headline: z.string(),

  /** The turn that gets the answer, with the context that its continuations inherit (O2). */
  turnId: z.string(),
  ...WorkContext.shape,
  /** Includes the hop of this call. */
  chain: PeerChain,

  state: z.enum(["open", "answered", "failed"]),
  createdAt: z.iso.datetime(),
  /** The call fails if it has no answer by then. Wall clock, milliseconds. */
  deadlineAt: z.number(),
  endedAt: z.iso.datetime().optional(),
  /** Its work was cancelled: no turn gets an answer, and the remote agent is asked to cancel its task. */
  cancelledAt: z.iso.datetime().optional(),
  /** The message whose turn at a local peer produced the answer; absent if the call ended otherwise. */
  answeredBy: z.string().optional(),
  answer: z.string().optional(),
  /** Files of the answer. */
  files: z.array(FileRef).optional(),
  /** Shown to people. */
  error: z.string().optional(),
  /** Reason of a failure for operators, with addresses and settings; never shown in chat. */
  detail: z.string().optional(),
  /** The consultation timed out: its answer arrives later, like that of a delegation. */
  demotedAt: z.iso.datetime().optional(),
  /** The latest progress line, and the number of all lines. */
  note: z.string().optional(),
  notes: z.int(),
  /** Message ids of the local peer's ended turns on this call; present only if the peer delegated work. */
  turnsEnded: z.array(z.string()).optional(),
  /** Present if the peer is reached through the protocol. */
  remote: RemoteTask.optional(),
});
export type PeerCall = z.infer<typeof PeerCall>;

export type RemoteCall = PeerCall & { readonly remote: RemoteTask };

const calls = collection("peer-calls", PeerCall, { ttlMs: RETENTION_MS });

export const callKey = ({ tenant, agent, id }: PeerCallAddress) => keyOf(calls, tenant, agent, id);

export const readCall = async (store: Store, address: PeerCallAddress): Promise<PeerCall | undefined> =>
  (await store.get(callKey(address)))?.value;

/** Keeps the order of the ids and leaves out expired calls. */
export const readCalls = async (
  store: Store,
  { tenant, agent }: AgentRef,
  ids: readonly string[],
): Promise<PeerCall[]> => {
  const read = await Promise.all(ids.map((id) => readCall(store, { tenant, agent, id })));
  return read.filter((call) => call !== undefined);
};

/** The calls that tool calls have opened, by the idempotency keys of the tool calls. */
export const readCallsOfTools = (store: Store, sender: AgentRef, idempotencyKeys: readonly string[]) =>
  readCalls(
    store,
    sender,
    idempotencyKeys.map((idempotencyKey) => callIdOf({ ...sender, idempotencyKey })),
  );

/** The question that the other agent needs answered before it continues. */
export const openQuestion = ({ state, remote }: Pick<PeerCall, "state" | "remote">): string | undefined =>
  state === "open" ? remote?.question : undefined;

/** Shown instead of "running" while requests to the remote agent get no answer. */
export const unreachableNote = (
  { state, remote }: Pick<PeerCall, "state" | "remote">,
  { outcomes }: Texts,
): string | undefined =>
  state !== "open" || remote?.unreachableSince === undefined
    ? undefined
    : outcomes.unreachableSince(`${isoTime(remote.unreachableSince).slice(11, 16)} UTC`);

/** No turn waits for the answer: it arrives in a separate turn. */
export const comesLater = ({ mode, demotedAt }: Pick<PeerCall, "mode" | "demotedAt">): boolean =>
  mode === "task_delegate" || demotedAt !== undefined;

/**
 * Changes an open call by compare-and-set and signals the change. `change` may run several times; if it returns the same
 * object, nothing is written. An ended call stays as it is. Undefined: the call does not exist or has expired.
 */
export const changeCall = async (
  { store, bus }: Pick<CoreDeps, "store" | "bus">,
  address: PeerCallAddress,
  change: (call: PeerCall) => PeerCall,
): Promise<PeerCall | undefined> => {
  const { tenant, agent, id } = address;
  const changeOpen = (call: PeerCall | undefined) => (call?.state === "open" ? change(call) : call);
  const { outcome, after } = await update(store, callKey(address), changeOpen);
  if (outcome === "written") bus.signal(subjectsOf(tenant).peerCallChanged(agent), { tenant, agent, id });
  return after;
};

/** A local peer has a separate session for each conversation of each agent that calls it (I4). */
export const peerSessionOf = ({ tenant, peer, agent, sessionId }: PeerCall): string =>
  stableId("s", "peer", tenant, peer, agent, sessionId);

/** Deterministic: a repeated tool call opens the same call. */
export const callIdOf = ({ tenant, agent, idempotencyKey }: AgentRef & Pick<ToolContext, "idempotencyKey">): string => {
  const digest = createHash("sha256").update(JSON.stringify([tenant, agent, idempotencyKey]));
  return `call-${digest.digest("hex").slice(0, 12)}`;
};

/** The turn about a question of the other agent. */
export const questionIdOf = (callId: string, round: number): string => `${callbackIdOf(callId)}/${round}`;
/** The turn about updates that arrived after the turn or subtask that asked had ended. */
export const lateIdOf = (notification: string): string => `late/${notification}`;
/** The local peer's turn that a call starts. */
export const peerRequestIdOf = (agent: string, callId: string): string => `peer/${agent}/${callId}`;

/** Addresses of all messages that may continue the work of a call: the local peer's turn, and turns of the sender. */
export const turnsAfterCall = ({ tenant, agent, peer, id, remote }: PeerCall) => {
  const rounds = Array.from({ length: remote?.rounds ?? 0 }, (_, round) => round + 1);
  const questions = rounds.flatMap((round) => [questionIdOf(id, round), lateIdOf(`${id}/input-required/${round}`)]);
  const late = ["result", "error"].map((kind) => lateIdOf(`${id}/${kind}`));
  const here = [callbackIdOf(id), ...questions, ...late].map((each) => ({ tenant, agent, id: each }));
  return remote === undefined ? [{ tenant, agent: peer, id: peerRequestIdOf(agent, id) }, ...here] : here;
};
