import { AppError } from "../contract/app-error.ts";
import type { LateA2ANotification } from "../contract/late-notification.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { Subtask } from "../contract/subtask.ts";
import { cutToBytes } from "../lib/index.ts";
import { MAX_KEY_CHARS } from "../memory/index.ts";
import { addNotification, type Notification, readSubtask } from "../subtasks/index.ts";
import { type CoreParts, type Inherited, inheritedFrom } from "../turns/index.ts";
import { changeLate, type LateItem, readLate } from "./late-record.ts";
import type { PeerCall } from "./peer-call.ts";
import type { PeerWords } from "./words-of-peer.ts";

/** Of words that nothing else has kept. */
const MOST_BYTES = 8_000;

/**
 * Takes what came too late to the session that it is for (L2): into its memory, into the index there, into the list of
 * what it has not been told, and then on the bus. Doing it again changes nothing. `subtask`: the one that asked; absent
 * if the session itself did, which has its answer and is told more.
 */
export const foldBack = async (
  parts: CoreParts,
  call: PeerCall,
  words: PeerWords,
  subtask: Subtask | undefined,
): Promise<void> => {
  const { tenant, agent, peer, headline, traceId } = call;
  const { id, kind } = words;
  const inherited = await primaryOf(parts, call, subtask);
  if (inherited === undefined) {
    parts.logger.warn({ call: call.id, subtask: subtask?.id, traceId }, "a late answer has no session to go to");
    return;
  }
  const { sessionId } = inherited;
  const { items, told = [] } = await readLate(parts.store, { tenant, agent, sessionId });
  if (told.includes(id)) return;
  const key = memoryKeyFor(call, words, subtask);
  // A question is brought at every look at its task.
  if (!items.some((item) => item.id === id)) {
    const isKept = await keep(parts, sessionId, { key, summary: headline, text: words.text });
    await parts.checkpoint("late.kept");
    const lost = !isKept && words.addedBy !== undefined && { words: cutToBytes(words.text, MOST_BYTES) };
    if (kind !== "status") {
      const askedBy = subtask !== undefined && { subtask: subtask.name };
      const item = { id, callId: call.id, kind, key, isKept, ...lost, peer, headline, ...askedBy, ...inherited };
      await list(parts, item, call);
    }
  }
  await parts.checkpoint("late.listed");
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
  parts.logger.info({ call: call.id, subtask: subtask?.id, kind, session: sessionId, traceId }, "a late answer");
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

const list = async (parts: CoreParts, item: LateItem, { tenant, agent }: PeerCall): Promise<void> => {
  await changeLate(parts.store, { tenant, agent, sessionId: item.sessionId }, (record) =>
    record.items.some(({ id }) => id === item.id) ? record : { ...record, items: [...record.items, item] },
  );
};

/** The session whose work it was, and what its turns inherit. Undefined: it is gone. */
const primaryOf = async (
  parts: CoreParts,
  call: PeerCall,
  subtask: Subtask | undefined,
): Promise<Inherited | undefined> => {
  const { chain, traceId } = call;
  if (subtask === undefined) return inheritedFrom({ ...call, standing: { ...call.standing, chain } });
  const top = await topOf(parts, subtask);
  if (top === undefined) return undefined;
  const { parentSessionId: sessionId, owner, planId: rootTurnId, background, origin, audience, asker } = top;
  return { sessionId, standing: { owner, depth: 0, rootTurnId, background, chain }, origin, audience, asker, traceId };
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
const memoryKeyFor = (call: PeerCall, { taskId, kind }: PeerWords, subtask: Subtask | undefined): string => {
  const keyFor = (task: string) => `notifications/a2a/${subtask?.id ?? call.id}/${task}/${kind}`;
  return /^[\w.:-]+$/.test(taskId) && keyFor(taskId).length <= MAX_KEY_CHARS ? keyFor(taskId) : keyFor(call.id);
};
