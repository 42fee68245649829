import { AppError } from "../contract/app-error.ts";
import type { LateA2ANotification } from "../contract/late-notification.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { Subtask } from "../contract/subtask.ts";
import { MAX_KEY_CHARS } from "../memory/working-memory.ts";
import { addNotification, type Notification } from "../subtasks/notifications.ts";
import { readSubtask } from "../subtasks/subtask-record.ts";
import type { CoreParts } from "../turns/turn.ts";
import { changeLate } from "./late-record.ts";
import type { PeerCall } from "./peer-call.ts";
import { wordsOf } from "./words-of-peer.ts";

/**
 * Takes what came too late for a subtask to the session it worked for (L2): into its memory, into the index there, into
 * the list of what it has not been told, and then on the bus. Doing it again changes nothing.
 */
export const foldBack = async (
  parts: CoreParts,
  call: PeerCall,
  subtask: Subtask,
  kind: LateA2ANotification["kind"],
): Promise<void> => {
  const { tenant, agent, traceId } = call;
  const top = await topOf(parts, subtask);
  if (top === undefined) {
    parts.logger.warn({ call: call.id, subtask: subtask.id, traceId }, "a late answer has no session to go to");
    return;
  }
  const { parentSessionId: sessionId, owner, planId: rootTurnId, background, origin, audience, asker } = top;
  const key = memoryKeyFor(call, subtask, kind);
  const id = kind === "input-required" ? `${call.id}/${kind}/${call.remote?.rounds}` : `${call.id}/${kind}`;
  const isKept = await keep(parts, sessionId, { key, summary: call.headline, text: wordsOf(call, kind) });
  await parts.checkpoint("late.kept");
  if (kind !== "status") {
    const standing = { owner, depth: 0, rootTurnId, background, chain: call.chain };
    const { headline, peer } = call;
    const inherited = { sessionId, standing, origin, audience, asker, traceId };
    const item = { id, callId: call.id, kind, key, isKept, peer, headline, ...inherited };
    await changeLate(parts.store, { tenant, agent, sessionId }, (record) =>
      record.items.some((known) => known.id === id) ? record : { ...record, items: [...record.items, item] },
    );
    await parts.checkpoint("late.listed");
  }
  const notification: LateA2ANotification = {
    id,
    tenant,
    agent,
    primarySessionId: sessionId,
    subtaskId: subtask.id,
    subtaskName: subtask.name,
    peerAgent: call.peer,
    kind,
    workingMemoryKey: key,
  };
  parts.logger.info({ call: call.id, subtask: subtask.id, kind, session: sessionId, traceId }, "a late answer");
  await parts.bus.publish(subjectsOf(tenant).lateNotification(agent), notification, {
    id: `late/${id}`,
    key: sessionId,
  });
};

/** A full memory must not keep the answer from people. */
const keep = async (parts: CoreParts, sessionId: string, notification: Notification): Promise<boolean> => {
  try {
    await addNotification(parts, sessionId, notification);
    return true;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "too-large") throw error;
    parts.logger.warn({ session: sessionId, error: error.message }, "a late answer is not kept in memory");
    return false;
  }
};

/** The subtask that the session itself has started. */
const topOf = async ({ store }: CoreParts, subtask: Subtask): Promise<Subtask | undefined> => {
  let top: Subtask | undefined = subtask;
  while (top?.parentSubtaskId !== undefined) {
    const { tenant, agent, parentSubtaskId: id }: Subtask = top;
    top = id === undefined ? undefined : await readSubtask(store, { tenant, agent, id });
  }
  return top;
};

/** A remote agent's task has any id it likes: one that fits no key is called by ours. */
const memoryKeyFor = (call: PeerCall, subtask: Subtask, kind: string): string => {
  const keyFor = (taskId: string) => `notifications/a2a/${subtask.id}/${taskId}/${kind}`;
  const own = call.remote?.taskId ?? call.id;
  return /^[\w.:-]+$/.test(own) && keyFor(own).length <= MAX_KEY_CHARS ? keyFor(own) : keyFor(call.id);
};
