import { z } from "zod";
import type { ShownMessage } from "../contract/messages/user-message.ts";
import type { Outcome } from "../contract/ports/bus.ts";
import { ack, RETENTION_MS } from "../contract/ports/bus.ts";
import { collection, keyOf } from "../contract/ports/collection.ts";
import type { Store } from "../contract/ports/store.ts";
import { createOrRead } from "../contract/ports/update.ts";
import { nextIndex } from "../sessions/index.ts";
import type { IntakeDeps } from "./intake-deps.ts";

/** The first position of the report: a duplicate, also after `new`, finds its entry there. */
const Noted = z.looseObject({ sessionId: z.string(), index: z.number().int().nonnegative() });
type Noted = z.infer<typeof Noted>;

const noted = collection("noted", Noted, { ttlMs: RETENTION_MS });

/** Adds a proactive message from another conversation to the history of the session that shows it (O15). */
export const handleShownReply = async (
  { store, history, sessions, checkpoint }: IntakeDeps,
  message: ShownMessage,
): Promise<Outcome> => {
  const { replyId, markdown, origin, at } = message.shown;
  const window = await sessions.window(message);
  const position = await firstPosition(store, message, { sessionId: window.sessionId, index: nextIndex(window) });
  await checkpoint("shown.placed");
  await history.append(position.sessionId, position.index, { kind: "said", replyId, at, markdown, origin });
  return ack;
};

const firstPosition = async (store: Store, { tenant, agent, id }: ShownMessage, position: Noted): Promise<Noted> => {
  return (await createOrRead(store, keyOf(noted, tenant, agent, id), position)).value;
};
