import { RevisionConflict } from "../contract/app-error.ts";
import type { Bus } from "../contract/bus.ts";
import type { Clock } from "../contract/clock.ts";
import { isoTime } from "../contract/clock.ts";
import { deadLetterKey } from "../contract/dead-letter.ts";
import type { Store } from "../contract/store.ts";
import { sendAgain } from "./send-again.ts";
import type { Undelivered, UndeliveredAddress } from "./undelivered.ts";
import { addresseeOf, pointerKey, undeliveredKey } from "./undelivered.ts";

interface Parts {
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
}

/** gone: somebody has done something about it before, or is at it. */
export type Settled = "done" | "gone";

/**
 * Sends what was given up again, or drops it: once, whoever else has the same in mind. `by` names the wish: the same
 * one goes on where it was cut off. Who may wish it is for the caller to know.
 */
export const settleUndelivered = async (
  parts: Parts,
  address: UndeliveredAddress,
  what: "send-again" | "dismiss",
  by: string,
): Promise<Settled> => {
  const { store } = parts;
  const entry = await take(parts, address, by);
  if (entry === undefined) return "gone";
  const key = deadLetterKey(entry.letter.durable, entry.letter.id);
  const letter = (await store.get(key))?.value;
  if (letter !== undefined) await (what === "send-again" ? sendAgain(parts, letter) : store.delete(key));
  const addressee = addresseeOf(entry.audience);
  if (addressee !== undefined) await store.delete(pointerKey(entry.tenant, addressee, entry.id));
  await store.delete(undeliveredKey(address));
  return "done";
};

/** A wish that was cut off and never went on is forgotten after this. */
const TAKEN_FOR_MS = 60_000;

const take = async (
  { store, clock }: Parts,
  address: UndeliveredAddress,
  by: string,
): Promise<Undelivered | undefined> => {
  const stored = await store.get(undeliveredKey(address));
  if (stored === undefined) return undefined;
  const { value: entry, revision } = stored;
  const now = clock.now();
  const isOthers = entry.taken !== undefined && entry.taken.by !== by;
  if (isOthers && now - Date.parse(entry.taken?.at ?? "") < TAKEN_FOR_MS) return undefined;
  try {
    await store.put(undeliveredKey(address), { ...entry, taken: { by, at: isoTime(now) } }, { ifRevision: revision });
    return entry;
  } catch (error) {
    if (error instanceof RevisionConflict) return undefined;
    throw error;
  }
};
