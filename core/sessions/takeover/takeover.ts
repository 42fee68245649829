import { z } from "zod";
import { Conversation, conversationKey } from "../../contract/messages/conversation.ts";
import { Audience, ReplyOrigin } from "../../contract/messages/work-context.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { collection, keyOf, prefixOf, type Store } from "../../contract/ports/store.ts";
import { DELETE, update } from "../../contract/ports/update.ts";
import type { SessionAddress } from "../current-session.ts";

/** An operator answers in a conversation instead of the agent (R4). The record exists until the person knows of its end. */
export const Takeover = z.looseObject({
  id: z.string(),
  tenant: z.string(),
  agent: z.string(),
  conversation: Conversation,
  /** The session that the operator saw, and the origin and audience of its last turn. */
  sessionId: z.string(),
  origin: ReplyOrigin,
  audience: Audience,
  /** The name that people see, and the name of the token in the audit log. */
  operator: z.looseObject({ name: z.string(), id: z.string() }),
  reason: z.string(),
  startedAt: z.iso.datetime(),
  /** It ends by itself at this time. */
  endsAt: z.iso.datetime(),
  /** Absent while it lasts, also if its time is over and no process has noticed yet. */
  endedAt: z.iso.datetime().optional(),
  /** The notice of the beginning is published. */
  isAnnounced: z.boolean().optional(),
});
export type Takeover = z.infer<typeof Takeover>;

const takeovers = collection("takeovers", Takeover);

const takeoverKey = ({ tenant, agent, conversation }: SessionAddress) =>
  keyOf(takeovers, tenant, agent, conversationKey(conversation));

/** For the console and for sweeps. */
export const allTakeovers = () => prefixOf(takeovers);

export const isActive = ({ endedAt, endsAt }: Takeover, now: number): boolean =>
  endedAt === undefined && now < Date.parse(endsAt);

/** The takeover of a conversation, if it lasts. */
export const activeTakeover = async (
  store: Store,
  address: SessionAddress,
  now: number,
): Promise<Takeover | undefined> => {
  const found = (await store.get(takeoverKey(address)))?.value;
  return found !== undefined && isActive(found, now) ? found : undefined;
};

/** Returns the takeover that the conversation has now: the given one, or that of the operator who was first. */
export const startTakeover = async (store: Store, given: Takeover): Promise<Takeover> => {
  const now = Date.parse(given.startedAt);
  const { after } = await update(store, takeoverKey(given), (known) =>
    known !== undefined && isActive(known, now) ? known : given,
  );
  return after ?? given;
};

/** Ends it now, or at its time if that was earlier. False if another takeover has replaced it, or its end is complete. */
export const endTakeover = async (store: Store, { id, ...address }: Takeover, now: number): Promise<boolean> => {
  const { after } = await update(store, takeoverKey(address), (known) => {
    if (known?.id !== id || known.endedAt !== undefined) return known;
    return { ...known, endedAt: isoTime(Math.min(now, Date.parse(known.endsAt))) };
  });
  return after?.id === id;
};

/** Records that the notice of the beginning is published. */
export const noteAnnounced = async (store: Store, { id, ...address }: Takeover): Promise<void> => {
  await update(store, takeoverKey(address), (known) => (known?.id === id ? { ...known, isAnnounced: true } : known));
};

/** Removes an ended takeover, once the notice of its end is published. */
export const forgetTakeover = async (store: Store, { id, ...address }: Takeover): Promise<void> => {
  await update(store, takeoverKey(address), (known) => (known?.id === id ? DELETE : known));
};
