import { isDeepStrictEqual } from "node:util";
import type { Outcome } from "../contract/bus.ts";
import { ack } from "../contract/bus.ts";
import { isoTime } from "../contract/clock.ts";
import type { LateA2ANotification } from "../contract/late-notification.ts";
import { continuationMessage, lateIdOf, type SubtaskParts, wake } from "../subtasks/index.ts";
import type { LateItem } from "./late-record.ts";
import { changeLate, readLate } from "./late-record.ts";

/** Between two turns about late things: nobody speaks in them, so they can wait (A4). */
const BETWEEN_WAKES_MS = 30_000;

/**
 * Puts a turn about late answers into their session, behind whatever runs there (L3). Those that come within a short
 * time and belong to the same origin and audience become one turn (L5); the bus holds the first of them for so long.
 */
export const handleLateNotification = async (
  parts: SubtaskParts,
  windowMs: number,
  notification: LateA2ANotification,
  attempt: number,
): Promise<Outcome> => {
  const { tenant, agent, primarySessionId: sessionId, id } = notification;
  const address = { tenant, agent, sessionId };
  const now = parts.clock.now();
  const record = await readLate(parts.store, address);
  const item = record.items.find((known) => known.id === id);
  // A working status is kept without a turn, and what a turn has read already needs none.
  if (item === undefined) return ack;
  if (item.toldBy === undefined) {
    const { wokenAt = 0 } = record;
    // One in the future was before the clock was set back.
    const pauseMs = wokenAt > now ? 0 : wokenAt + BETWEEN_WAKES_MS - now;
    const waitMs = Math.max(attempt === 1 ? windowMs : 0, pauseMs);
    if (waitMs > 0) return { retryInMs: waitMs };
  }
  const toldBy = item.toldBy ?? lateIdOf(id);
  const { items } = await changeLate(parts.store, address, (known) =>
    known.items.some((one) => one.toldBy === toldBy)
      ? known
      : { ...known, wokenAt: now, items: known.items.map((one) => (belongs(one, item) ? { ...one, toldBy } : one)) },
  );
  await parts.checkpoint("late.taken");
  const told = items.filter((one) => one.toldBy === toldBy);
  // Asked for again by each of them: after a death the first may never have come to it.
  if (told.length > 0) await wake(parts, notification, lateMessage(notification, toldBy, told, isoTime(now)));
  return ack;
};

const belongs = (one: LateItem, first: LateItem): boolean =>
  one.toldBy === undefined &&
  isDeepStrictEqual(one.origin, first.origin) &&
  isDeepStrictEqual(one.audience, first.audience);

const lateMessage = (
  place: Pick<LateA2ANotification, "tenant" | "agent">,
  id: string,
  items: readonly LateItem[],
  at: string,
) => {
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
  return continuationMessage(place, first, { id, type: "late", at, data: { calls } });
};
