import { RevisionConflict } from "../contract/app-error.ts";
import type { Store } from "../contract/store.ts";
import type { LinkRecord } from "./link-record.ts";
import { linkKey } from "./link-record.ts";

/** Changes a link as it is stored now, whoever else writes meanwhile; the same object: no change. Undefined: unknown. */
export const changeLink = async (
  store: Store,
  { tenant, linkId }: { tenant: string; linkId: string },
  change: (link: LinkRecord) => LinkRecord,
): Promise<LinkRecord | undefined> => {
  for (;;) {
    const stored = await store.get(linkKey(tenant, linkId));
    if (stored === undefined) return undefined;
    const changed = change(stored.value);
    if (changed === stored.value) return changed;
    try {
      await store.put(linkKey(tenant, linkId), changed, { ifRevision: stored.revision });
      return changed;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
};
