import { z } from "zod";
import type { EditMessage, PersonMessage } from "../contract/messages/user-message.ts";
import { collection, keyOf } from "../contract/ports/collection.ts";
import type { Store } from "../contract/ports/store.ts";
import { update } from "../contract/ports/update.ts";
import { revokeExposedCodes } from "../people/linking/index.ts";

/** The edited text of a message. */
const Edit = z.looseObject({ text: z.string(), at: z.iso.datetime() });

/** Longer than any message waits for its turn. */
const ONE_DAY_MS = 24 * 3_600_000;
const edits = collection("edits", Edit, { ttlMs: ONE_DAY_MS });

const editKey = ({ tenant, agent, id }: PersonMessage | EditMessage) => keyOf(edits, tenant, agent, id);

/** Stores the newest text of a message; it counts until the turn of the message begins. */
export const noteEdit = async (store: Store, message: EditMessage): Promise<void> => {
  const { text, sentAt: at } = message;
  if (message.conversation.kind === "shared") await revokeExposedCodes(store, message);
  await update(store, editKey(message), (known) =>
    known !== undefined && Date.parse(known.at) >= Date.parse(at) ? known : { text, at },
  );
};

/** Undefined: the message was not edited. */
export const editedText = async (store: Store, message: PersonMessage): Promise<string | undefined> =>
  (await store.get(editKey(message)))?.value.text;
