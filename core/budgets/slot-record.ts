import { z } from "zod";
import { collection, keyOf } from "../contract/ports/store.ts";
import type { Account } from "./accounts.ts";

/** A turn that runs or waits. `until` is wall clock, milliseconds: without a renewal it counts as ended then. */
const Place = z.looseObject({ id: z.string(), until: z.number(), unattended: z.boolean() });
type Place = z.infer<typeof Place>;

/** The turns of an account in all processes: those that run, and those that wait, the longest waiting first. */
const SlotRecord = z.looseObject({ running: z.array(Place), waiting: z.array(Place) });
export type SlotRecord = z.infer<typeof SlotRecord>;

/** Long enough for a process whose event loop or store is slow; the turns of a killed process count this long. */
export const PLACE_MS = 60_000;

const slots = collection("budget-turns", SlotRecord, { ttlMs: 10 * PLACE_MS });

export const slotKey = ({ tenant, holder, scope, subject }: Account) => keyOf(slots, tenant, holder, scope, subject);

export const NO_TURNS: SlotRecord = { running: [], waiting: [] };

/** Beyond this, a turn that waits has no place in the line until others have left it. */
const MAX_WAITING = 1_000;

interface Limit {
  readonly limit: number;
  /** The part of the limit that work without a waiting person may use. */
  readonly unattendedLimit: number;
}

/** At least one, so that background work can run at all. */
export const limitOfSlots = ({ atOnce, unattendedShare }: Account): Limit => {
  const limit = atOnce.turns ?? Number.POSITIVE_INFINITY;
  return { limit, unattendedLimit: Math.max(1, Math.floor(limit * unattendedShare)) };
};

export interface SlotChange {
  /** Wall clock, milliseconds. */
  readonly now: number;
  /** Turns that ended, or no longer wait here. */
  readonly leaves: ReadonlySet<string>;
  /** Turns that want to run, by id; the value says whether they are unattended. */
  readonly takes: ReadonlyMap<string, boolean>;
  /** Turns that run in this process; one whose place has expired gets it back, also above the limit. */
  readonly runs: ReadonlyMap<string, boolean>;
  /** Turns that wait in this process, whose places are renewed. */
  readonly waits: ReadonlySet<string>;
}

/** The record after the change. The same object: nothing has changed. */
export const changedSlots = (record: SlotRecord, limit: Limit, change: SlotChange): SlotRecord => {
  const { now, leaves, takes, runs, waits } = change;
  const stays = ({ id, until }: Place) => until > now && !leaves.has(id);
  const renewed = (place: Place): Place =>
    (runs.has(place.id) || waits.has(place.id)) && place.until - now < PLACE_MS / 2 ? renew(place, now) : place;
  const running = record.running.filter(stays).map(renewed);
  const known = new Set(running.map(({ id }) => id));
  for (const [id, unattended] of runs) {
    if (!known.has(id)) running.push(renew({ id, unattended }, now));
    known.add(id);
  }
  const waiting = record.waiting.filter((place) => stays(place) && !known.has(place.id)).map(renewed);
  const queued = new Set(waiting.map(({ id }) => id));
  for (const [id, unattended] of takes) {
    if (!known.has(id) && !queued.has(id)) waiting.push(renew({ id, unattended }, now));
  }
  const due = dueIn({ running, waiting }, limit);
  const starts = ({ id }: Place) => takes.has(id) && due.has(id);
  const started = waiting.filter(starts).map((place) => renew(place, now));
  const after = {
    running: [...running, ...started],
    waiting: waiting.filter((place) => !starts(place)).slice(0, MAX_WAITING),
  };
  return isSame(record, after) ? record : after;
};

const renew = ({ id, unattended }: Pick<Place, "id" | "unattended">, now: number): Place => ({
  id,
  unattended,
  until: now + PLACE_MS,
});

/**
 * The waiting turns for which there is room, in the order of the line. An unattended turn that has used up its part does
 * not delay the people behind it.
 */
export const dueIn = ({ running, waiting }: SlotRecord, { limit, unattendedLimit }: Limit): ReadonlySet<string> => {
  let free = limit - running.length;
  let unattendedFree = unattendedLimit - running.filter(({ unattended }) => unattended).length;
  const due = new Set<string>();
  for (const { id, unattended } of waiting) {
    if (free <= 0) break;
    if (unattended && unattendedFree <= 0) continue;
    free--;
    if (unattended) unattendedFree--;
    due.add(id);
  }
  return due;
};

const isSame = (one: SlotRecord, other: SlotRecord): boolean =>
  (["running", "waiting"] as const).every(
    (list) =>
      one[list].length === other[list].length &&
      one[list].every(({ id, until }, index) => id === other[list][index]?.id && until === other[list][index]?.until),
  );
