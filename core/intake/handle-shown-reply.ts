import { z } from "zod";
import { AppError, RevisionConflict } from "../contract/app-error.ts";
import type { Outcome } from "../contract/bus.ts";
import { ack, RETENTION_MS } from "../contract/bus.ts";
import { collection, keyOf } from "../contract/collection.ts";
import type { ShownReply } from "../contract/shown-reply.ts";
import type { Store } from "../contract/store.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { nextIndex } from "../sessions/index.ts";
import type { IntakeParts } from "./intake-parts.ts";

/** Where the news was first put: a repeat, also after `new`, finds its entry there. */
const Noted = z.looseObject({ sessionId: z.string(), index: z.number().int().nonnegative() });
type Noted = z.infer<typeof Noted>;

const noted = collection("noted", Noted, { ttlMs: RETENTION_MS });

/** Something was shown in the conversation that began elsewhere: its session now knows what it said there (O15). */
export const handleShownReply = async (
  { store, history, sessions, checkpoint }: IntakeParts,
  message: UserMessage,
  { replyId, markdown, origin, at }: ShownReply,
): Promise<Outcome> => {
  const window = await sessions.window(message);
  const place = await firstPlace(store, message, { sessionId: window.sessionId, index: nextIndex(window) });
  await checkpoint("shown.placed");
  await history.append(place.sessionId, place.index, { kind: "said", replyId, at, markdown, origin });
  return ack;
};

const firstPlace = async (store: Store, { tenant, agent, id }: UserMessage, place: Noted): Promise<Noted> => {
  const key = keyOf(noted, tenant, agent, id);
  try {
    await store.put(key, place, { ifRevision: 0 });
    return place;
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
  }
  const found = await store.get(key);
  if (found === undefined) throw new AppError("conflict", "the record expired just now; it is run again");
  return found.value;
};
