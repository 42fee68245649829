import { AppError } from "../../contract/app-error.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { hasEnded, type LateA2ANotification, parentContextOf, type Subtask } from "../../contract/messages/subtask.ts";
import { type WorkContext, workContextOf } from "../../contract/messages/work-context.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { cutToBytes } from "../../lib/index.ts";
import { addNotification, MAX_KEY_CHARS, type Notification } from "../../memory/index.ts";
import { deliverToSubtask, type SubtaskDeps, topSubtaskOf } from "../../subtasks/index.ts";
import type { CoreDeps } from "../../turns/index.ts";
import type { PeerCall } from "../record/peer-call.ts";
import type { PeerUpdate } from "../record/peer-update.ts";
import { changeLate, type LateItem, readLate } from "./late-record.ts";

/**
 * Delivers an update to the subtask that asked if it is still running, which a compare-and-set of its record decides.
 * Otherwise the update goes to the session that the subtask worked for (L1).
 */
export const notifySubtask = async (deps: SubtaskDeps, call: PeerCall, update: PeerUpdate): Promise<void> => {
  const { tenant, agent, peer } = call;
  const { subtaskId } = call.standing;
  if (subtaskId === undefined) return;
  const { id, kind, text, files } = update;
  const at = isoTime(deps.clock.now());
  const content =
    kind === "status"
      ? { status: `${peer}: ${call.note ?? "working"}` }
      : { note: { id, type: "answer" as const, from: peer, content: text, ...(files && { files: [...files] }), at } };
  const changed = await deliverToSubtask(deps, { tenant, agent, id: subtaskId }, content);
  if (changed === undefined) {
    deps.logger.warn(
      { call: call.id, subtask: subtaskId, traceId: call.traceId },
      "subtask has expired, peer update dropped",
    );
    return;
  }
  if (kind === "status") deps.activity.touch(changed);
  const isDelivered = kind === "status" ? !hasEnded(changed) : changed.inbox.some((note) => note.id === id);
  if (!isDelivered) await foldBack(deps, call, update, changed);
};

/** Limit for an addition that the memory did not accept. */
const MAX_BYTES = 8_000;

/**
 * Hands a late update to the session that it belongs to (L2): into its memory, into its late record, then on the bus.
 * Idempotent. `subtask` is the subtask that asked; absent if the session itself asked and gets an addition.
 */
export const foldBack = async (
  deps: CoreDeps,
  call: PeerCall,
  update: PeerUpdate,
  subtask: Subtask | undefined,
): Promise<void> => {
  const { tenant, agent, peer, headline, traceId } = call;
  const { id, kind } = update;
  const work = await ownerContextOf(deps, call, subtask);
  if (work === undefined) {
    deps.logger.warn({ call: call.id, subtask: subtask?.id, traceId }, "late update has no session, dropped");
    return;
  }
  const { sessionId } = work;
  const { items, told = [] } = await readLate(deps.store, { tenant, agent, sessionId });
  if (told.includes(id)) return;
  const key = memoryKeyFor(call, update, subtask);
  // Every poll of a task repeats its open question.
  if (!items.some((item) => item.id === id)) {
    const isKept = await saveToMemory(deps, sessionId, { key, summary: headline, text: update.text });
    await deps.checkpoint("late.saved");
    const unsaved = !isKept && update.addedBy !== undefined && { words: cutToBytes(update.text, MAX_BYTES) };
    if (kind !== "status") {
      const askedBy = subtask !== undefined && { subtask: subtask.name };
      const files = update.files !== undefined && { files: [...update.files] };
      const about = { id, callId: call.id, kind, key, isKept, peer, headline };
      const item = { ...about, ...unsaved, ...files, ...askedBy, ...work };
      await addToRecord(deps, item, call);
    }
  }
  await deps.checkpoint("late.listed");
  const notification: LateA2ANotification = {
    id,
    tenant,
    agent,
    primarySessionId: sessionId,
    subtaskId: subtask?.id ?? call.id,
    subtaskName: subtask?.name ?? headline,
    peerAgent: peer,
    kind,
    workingMemoryKey: key,
  };
  deps.logger.info(
    { call: call.id, subtask: subtask?.id, kind, session: sessionId, traceId },
    "late update folded back",
  );
  await deps.bus.publish(subjectsOf(tenant).lateNotification(agent), notification, {
    id: `late/${id}`,
    key: sessionId,
  });
};

/** False if the memory is full; people still get the update. */
const saveToMemory = async (deps: CoreDeps, sessionId: string, notification: Notification): Promise<boolean> => {
  try {
    await addNotification(deps, sessionId, notification);
    return true;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "too-large") throw error;
    deps.logger.warn(
      { session: sessionId, error: error.message },
      "working memory is full, late update not saved there",
    );
    return false;
  }
};

const addToRecord = async (deps: CoreDeps, item: LateItem, { tenant, agent }: PeerCall): Promise<void> => {
  await changeLate(deps.store, { tenant, agent, sessionId: item.sessionId }, (record) =>
    record.items.some(({ id }) => id === item.id) ? record : { ...record, items: [...record.items, item] },
  );
};

/** The session that owns the work, with the context of its turns. Undefined if a subtask on the way has expired. */
const ownerContextOf = async (
  deps: CoreDeps,
  call: PeerCall,
  subtask: Subtask | undefined,
): Promise<WorkContext | undefined> => {
  const { chain, traceId } = call;
  if (subtask === undefined) return workContextOf({ ...call, standing: { ...call.standing, chain } });
  const top = await topSubtaskOf(deps, subtask);
  if (top === undefined) return undefined;
  const work = parentContextOf(top);
  return { ...work, standing: { ...work.standing, chain }, traceId };
};

/** A remote task id is arbitrary text; if it does not fit into a key, our call id replaces it. */
const memoryKeyFor = (call: PeerCall, { taskId, kind }: PeerUpdate, subtask: Subtask | undefined): string => {
  const keyFor = (task: string) => `notifications/a2a/${subtask?.id ?? call.id}/${task}/${kind}`;
  return /^[\w.:-]+$/.test(taskId) && keyFor(taskId).length <= MAX_KEY_CHARS ? keyFor(taskId) : keyFor(call.id);
};
