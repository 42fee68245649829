import {
  type PeerCall,
  readCallsOfTools,
  SEND_MESSAGE,
  turnsAfterCall,
  unreachableNote,
} from "../../../core/a2a/index.ts";
import { type Approval, isOpen, readApproval, stateText } from "../../../core/approvals/index.ts";
import type { AgentRef } from "../../../core/contract/messages/addresses.ts";
import { hasEnded, type Subtask } from "../../../core/contract/messages/subtask.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { english } from "../../../core/contract/texts/texts.ts";
import { isForPeople } from "../../../core/intake/index.ts";
import { otelTraceId } from "../../../core/lib/index.ts";
import { SessionHistory } from "../../../core/sessions/index.ts";
import { callbackIdOf, continuationsOf, readOwner, readSubtasks, subagentTurn } from "../../../core/subtasks/index.ts";
import { Journal, type TurnRecord, turnKey } from "../../../core/turns/record/index.ts";
import type { Trace } from "../../admin-api/index.ts";
import { readTurnEnd, shownAsker, shownOrigin, shownSubtask, shownTurn } from "../shown-work.ts";
import type { FoundTurn } from "./find-message.ts";
import { readDeliveries } from "./read-deliveries.ts";

interface TraceDeps {
  readonly store: Store;
  readonly history: SessionHistory;
}

type TracedTurn = Awaited<ReturnType<typeof readTurn>>;
type TracedSubtask = Awaited<ReturnType<typeof readDelegated>>;

/** Reads all work that followed from a message. Ids derive from one another, so every record is read by its key. */
export const readTrace = async (store: Store, agentRef: AgentRef, { messageId, record }: FoundTurn): Promise<Trace> => {
  const deps: TraceDeps = { store, history: new SessionHistory(store) };
  const turns: TracedTurn[] = [];
  const subtasks: TracedSubtask[] = [];
  const hops: PeerCall[] = [];
  const held: Approval[] = [];
  const open: (AgentRef & { readonly id: string })[] = [{ ...agentRef, id: messageId }];
  const addHops = async (at: AgentRef, sends: readonly string[]): Promise<void> => {
    const found = await readCallsOfTools(store, at, sends);
    hops.push(...found);
    open.push(...found.flatMap(turnsAfterCall));
  };
  const addHeld = (at: AgentRef, found: readonly Approval[]): void => {
    held.push(...found);
    open.push(...found.map(({ id }) => ({ ...at, id: callbackIdOf(id) })));
  };
  const addSubtasks = async (at: AgentRef, found: readonly Subtask[]): Promise<void> => {
    for (const subtask of found) {
      const traced = await readDelegated(deps, subtask);
      subtasks.push(traced);
      open.push(...traced.continuations.map((id) => ({ ...at, id })));
      for (const phase of traced.phases) {
        await addHops(at, phase.sends);
        addHeld(at, phase.held);
        await addSubtasks(at, await delegatedBy(deps, at, subtask.id, phase));
      }
    }
  };
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { id, ...at } = next;
    const found = (await store.get(turnKey(next)))?.value;
    if (found === undefined) continue;
    const turn = await readTurn(deps, at, found);
    turns.push(turn);
    await addHops(at, turn.sends);
    addHeld(at, turn.held);
    await addSubtasks(at, await delegatedBy(deps, at, found.standing.owner.ownerId, turn));
    open.push(...continuationsOf(found).map((each) => ({ ...at, id: each })));
  }
  const isWaiting = hops.some(({ state }) => state === "open") || held.some(isOpen);
  const isOver = [...turns, ...subtasks].every(({ ended }) => ended) && !isWaiting;
  return {
    traceId: otelTraceId(record.traceId),
    ...agentRef,
    origin: shownOrigin(record.origin),
    asker: shownAsker(record.asker),
    conversation: record.audience.conversation,
    state: isOver ? "ended" : "running",
    turns: turns
      .sort((one, other) => one.shown.openedAt.localeCompare(other.shown.openedAt))
      .map(({ shown, turnId }) => ({
        ...shown,
        subtasks: subtasks.filter((each) => each.of === turnId).map(({ id }) => id),
      })),
    subtasks: subtasks.map(({ shown }) => shown),
    hops: hops.map(shownHop),
  };
};

/** The subtasks of a turn: those of its batch while it is stored, and those that its tool results name. */
const delegatedBy = async (
  { store }: TraceDeps,
  agentRef: AgentRef,
  ownerId: string,
  { turnId, named }: { readonly turnId: string; readonly named: readonly string[] },
): Promise<Subtask[]> => {
  const { batches } = await readOwner(store, { ...agentRef, ownerId });
  const ids = new Set([...(batches[turnId]?.members ?? []).map(({ id }) => id), ...named]);
  return (await readSubtasks(store, agentRef, [...ids])).filter(({ parentTurnId }) => parentTurnId === turnId);
};

const readTurn = async (deps: TraceDeps, agentRef: AgentRef, record: TurnRecord) => {
  const { turnId, audience, command, openedAt } = record;
  const isCommand = command !== undefined;
  const end = await readTurnEnd(deps, agentRef, record);
  const { steps, named, sends, held } = await readSteps(deps.store, agentRef, turnId);
  const replyId = `${turnId}/${isCommand ? "notice" : "final"}`;
  const target = { conversation: audience.conversation, at: end?.at ?? openedAt };
  const isAnswered = isCommand || (end?.entry !== undefined && isForPeople(record, end.entry));
  const reply = isAnswered
    ? { reply: { replyId, deliveries: await readDeliveries(deps.store, agentRef, replyId, target) } }
    : {};
  const ended = isCommand || end !== undefined;
  const shown = { agent: agentRef.agent, ...shownTurn(record, end), steps, ...reply };
  return { turnId, named, sends, held, ended, shown };
};

/** Far more than a subagent has. */
const MAX_PHASES = 20;

const readDelegated = async ({ store }: TraceDeps, subtask: Subtask) => {
  const { id, parentTurnId } = subtask;
  const phases: (Pick<Steps, "named" | "sends" | "held"> & { readonly turnId: string })[] = [];
  const steps: Steps["steps"][number][] = [];
  const callKeys: string[] = [];
  for (let phase = 0; phase < MAX_PHASES; phase++) {
    const { turnId } = subagentTurn(subtask, phase);
    const read = await readSteps(store, subtask, turnId);
    if (read.steps.length === 0 && phase > 0) break;
    phases.push({ turnId, named: read.named, sends: read.sends, held: read.held });
    for (const { step, calls } of read.steps) {
      for (const index of calls.keys()) callKeys.push(`${turnId}/${step}/${index}`);
    }
    steps.push(...read.steps.map((step) => ({ ...step, step: steps.length + step.step })));
  }
  const shown = { ...shownSubtask(subtask), turnId: parentTurnId, steps };
  const continuations = continuationsOf({ subtaskId: id, callKeys });
  return { id, of: parentTurnId, ended: hasEnded(subtask), phases, continuations, shown };
};

const MAX_ERROR_CHARS = 300;

const shownHop = (call: PeerCall): Trace["hops"][number] => {
  const { id, agent, peer, mode, headline, turnId, state, createdAt, endedAt, remote } = call;
  const { subtaskId } = call.standing;
  const error = problemOf(call);
  return {
    id,
    turnId,
    ...(subtaskId !== undefined && { subtask: subtaskId }),
    agent,
    peer,
    isRemote: remote !== undefined,
    mode,
    headline,
    state,
    ...(error !== undefined && { error: error.slice(0, MAX_ERROR_CHARS) }),
    ...(remote?.taskId !== undefined && { remoteTask: remote.taskId }),
    createdAt,
    ...(endedAt !== undefined && { endedAt }),
  };
};

/** Operators read the technical reason; people in chat get `error` only. */
const problemOf = (call: PeerCall): string | undefined => {
  const { state, error, detail } = call;
  const unreachable = unreachableNote(call, english);
  if (unreachable !== undefined) return `${unreachable}: ${detail ?? "no answer"}`;
  return state === "failed" ? (detail ?? error) : undefined;
};

type Step = Trace["subtasks"][number]["steps"][number];

export interface Steps {
  readonly steps: readonly Step[];
  /** Subtasks that the results of its calls name. */
  readonly named: readonly string[];
  /** Idempotency keys of the calls that wrote to another agent. */
  readonly sends: readonly string[];
  /** Its calls that needed an approval. */
  readonly held: readonly Approval[];
}

/** The tool calls of a turn and their states, from its journal. */
const readSteps = async (store: Store, { tenant }: AgentRef, turnId: string): Promise<Steps> => {
  const journal = new Journal(store, turnId, false);
  const steps: Step[] = [];
  const named = new Set<string>();
  const sends: string[] = [];
  const held: Approval[] = [];
  for (let step = 0; ; step++) {
    const response = await journal.response(step);
    if (response === undefined) return { steps, named: [...named], sends, held };
    const calls: Step["calls"][number][] = [];
    for (const [index, { name }] of response.toolCalls.entries()) {
      const trace = await journal.call(step, index);
      const result = typeof trace === "object" ? trace.result : undefined;
      for (const [id] of result?.output.matchAll(/subtask-[0-9a-f]{8}/g) ?? []) named.add(id);
      if (name === SEND_MESSAGE) sends.push(`${turnId}/${step}/${index}`);
      const approval = await approvalOf(store, { tenant, turnId }, `${turnId}/${step}/${index}`, result?.output);
      if (approval !== undefined) held.push(approval);
      calls.push({
        name,
        state: result === undefined ? "running" : result.failed ? "failed" : "done",
        ...(approval && { approval: stateText(approval) }),
        ...(result?.durationMs !== undefined && { durationMs: result.durationMs }),
      });
    }
    const { inputTokens, outputTokens } = response.usage;
    steps.push({ step, calls, inputTokens, outputTokens, ...(response.model && { model: response.model }) });
  }
};

/** The approval that a call needed. Its result names the id; other texts may name one too, so the record decides. */
const approvalOf = async (
  store: Store,
  { tenant, turnId }: { readonly tenant: string; readonly turnId: string },
  idempotencyKey: string,
  output = "",
): Promise<Approval | undefined> => {
  const [id] = /approval-[0-9a-f]{12}/.exec(output) ?? [];
  const approval = id === undefined ? undefined : await readApproval(store, { tenant, id });
  const isOwn = approval?.turnId === turnId && approval.idempotencyKey === idempotencyKey;
  return isOwn ? approval : undefined;
};
