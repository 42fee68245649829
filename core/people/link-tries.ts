import { RevisionConflict } from "../contract/app-error.ts";
import type { Store } from "../contract/store.ts";
import type { LinkTries } from "./link-record.ts";
import { linkTriesKey } from "./link-record.ts";
import type { AccountAddress } from "./person-record.ts";

const WINDOW_MS = 10 * 60_000;
const MOST = 5;

/** Counts one more offer or try of an account, before anything is looked up. False: it has had enough for now. */
export const takeTry = async (
  store: Store,
  address: AccountAddress,
  what: "offersAt" | "claimsAt",
  now: number,
): Promise<boolean> => {
  let isAllowed = false;
  await changeTries(store, address, (tries) => {
    const recent = tries[what].filter((at) => now - at < WINDOW_MS);
    isAllowed = recent.length < MOST;
    return isAllowed ? { ...tries, [what]: [...recent, now] } : tries;
  });
  return isAllowed;
};

export const changeTries = async (
  store: Store,
  address: AccountAddress,
  change: (tries: LinkTries) => LinkTries,
): Promise<LinkTries> => {
  for (;;) {
    const stored = await store.get(linkTriesKey(address));
    const before = stored?.value ?? { offersAt: [], claimsAt: [] };
    const after = change(before);
    if (after === before) return before;
    try {
      await store.put(linkTriesKey(address), after, { ifRevision: stored?.revision ?? 0 });
      return before;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
};
