import { z } from "zod";
import { RevisionConflict } from "../../contract/app-error.ts";
import { collection, keyOf } from "../../contract/collection.ts";
import type { Store } from "../../contract/store.ts";

/** Something a calling agent made ours say to people (A10). */
export const Notice = z.looseObject({
  /** Noting it again changes nothing. */
  id: z.string(),
  taskId: z.string(),
  /** "caller · skill". */
  title: z.string(),
  text: z.string(),
  at: z.iso.datetime(),
});
export type Notice = z.infer<typeof Notice>;

/** All of an agent's notices. What is being sent is fixed before it is sent, so that no try can send other words. */
export const NoticeRecord = z.looseObject({
  waiting: z.array(Notice),
  sending: z.array(Notice),
  /** The latest that were sent, by their ids. */
  sent: z.array(z.string()),
});
export type NoticeRecord = z.infer<typeof NoticeRecord>;

const notices = collection("a2a-notices", NoticeRecord);

type Place = { readonly tenant: string; readonly agent: string };

const EMPTY: NoticeRecord = { waiting: [], sending: [], sent: [] };

/** The same record back: nothing is written. */
export const changeNotices = async (
  store: Store,
  { tenant, agent }: Place,
  change: (record: NoticeRecord) => NoticeRecord,
): Promise<NoticeRecord> => {
  const key = keyOf(notices, tenant, agent);
  for (;;) {
    const stored = await store.get(key);
    const before = stored?.value ?? EMPTY;
    const after = change(before);
    if (after === before) return after;
    try {
      await store.put(key, after, { ifRevision: stored?.revision ?? 0 });
      return after;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
};
