import { isDeepStrictEqual } from "node:util";
import type { AgentRef } from "../../contract/messages/agent-ref.ts";
import type { LateA2ANotification } from "../../contract/messages/subtask-message.ts";
import { syntheticMessage } from "../../contract/messages/user-message.ts";
import { ack, type Outcome } from "../../contract/ports/bus.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { enqueueTurn, type SubtaskDeps } from "../../subtasks/index.ts";
import { lateIdOf } from "../record/call-turns.ts";
import { changeLate, type LateItem, readLate } from "./late-record.ts";

/** Minimum pause between two turns about late updates; no user is waiting for them (A4). */
const MIN_PAUSE_MS = 30_000;

/**
 * Queues a turn about late updates in their session (L3). Updates with the same origin and audience that arrive within
 * the window share one turn (L5); the bus delays the first of them by the window.
 */
export const handleLateNotification = async (
  deps: SubtaskDeps,
  windowMs: number,
  notification: LateA2ANotification,
  attempt: number,
): Promise<Outcome> => {
  const { tenant, agent, primarySessionId: sessionId, id } = notification;
  const address = { tenant, agent, sessionId };
  const now = deps.clock.now();
  const record = await readLate(deps.store, address);
  const item = record.items.find((known) => known.id === id);
  // A progress update gets no turn, nor does an update that a turn has read already.
  if (item === undefined) return ack;
  if (item.toldBy === undefined) {
    const { wokenAt = 0 } = record;
    // A time in the future means that the clock was set back.
    const pauseMs = wokenAt > now ? 0 : wokenAt + MIN_PAUSE_MS - now;
    const waitMs = Math.max(attempt === 1 ? windowMs : 0, pauseMs);
    if (waitMs > 0) return { retryInMs: waitMs };
  }
  const toldBy = item.toldBy ?? lateIdOf(id);
  const { items } = await changeLate(deps.store, address, (known) =>
    known.items.some((one) => one.toldBy === toldBy)
      ? known
      : { ...known, wokenAt: now, items: known.items.map((one) => (belongs(one, item) ? { ...one, toldBy } : one)) },
  );
  await deps.checkpoint("late.taken");
  const told = items.filter((one) => one.toldBy === toldBy);
  // Each item requests the turn, because the process that handled the first one may have crashed before.
  if (told.length > 0) await enqueueTurn(deps, notification, lateMessage(notification, toldBy, told, isoTime(now)));
  return ack;
};

const belongs = (one: LateItem, first: LateItem): boolean =>
  one.toldBy === undefined &&
  isDeepStrictEqual(one.origin, first.origin) &&
  isDeepStrictEqual(one.audience, first.audience);

const lateMessage = (owner: AgentRef, id: string, items: readonly LateItem[], at: string) => {
  const [first] = items;
  if (first === undefined) throw new Error("a late turn is about something");
  const calls = items.map(({ callId, kind, key, isKept, words, peer, headline, subtask }) => ({
    id: callId,
    kind,
    key,
    isKept,
    ...(words !== undefined && { words }),
    peer,
    name: headline,
    ...(subtask !== undefined && { subtask }),
  }));
  return syntheticMessage(owner, first, { id, type: "late", at, data: { calls } });
};
