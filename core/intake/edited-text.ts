import { z } from "zod";
import { RevisionConflict } from "../contract/app-error.ts";
import { collection, keyOf } from "../contract/collection.ts";
import type { Store } from "../contract/store.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { revokeExposedCodes } from "../people/linking/index.ts";

/** What somebody has made of a message that they sent before. */
const Edit = z.looseObject({ text: z.string(), at: z.iso.datetime() });

/** No message waits for so long. */
const ONE_DAY_MS = 24 * 3_600_000;
const edits = collection("edits", Edit, { ttlMs: ONE_DAY_MS });

const editKey = ({ tenant, agent, id }: UserMessage) => keyOf(edits, tenant, agent, id);

/** Keeps the newest words of a message, for as long as nobody has begun to work on it. */
export const noteEdit = async (store: Store, message: UserMessage): Promise<void> => {
  const { text, sentAt: at } = message;
  await revokeExposedCodes(store, message);
  for (;;) {
    const known = await store.get(editKey(message));
    if (known !== undefined && Date.parse(known.value.at) >= Date.parse(at)) return;
    try {
      await store.put(editKey(message), { text, at }, { ifRevision: known?.revision ?? 0 });
      return;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
};

/** Looked for only where the platform tells of edits: most messages cost no read. A command was meant as it came. */
export const editedText = async (store: Store, message: UserMessage): Promise<string | undefined> =>
  message.editable && message.command === undefined ? (await store.get(editKey(message)))?.value.text : undefined;
