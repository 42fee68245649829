import type { AgentRef } from "../../contract/messages/addresses.ts";
import { type Conversation, sameRoom } from "../../contract/messages/conversation.ts";
import type { Store } from "../../contract/ports/store.ts";
import { askerOf, type Caller, canSee } from "../../delivery/index.ts";
import {
  type Addressee,
  addresseeOf,
  type HeldItem,
  listUndeliveredFor,
  readHeldInRoom,
  type Undelivered,
} from "../../delivery/undelivered/index.ts";
import type { PlacedReply } from "../../origin/index.ts";
import type { PersonRecord } from "../../people/index.ts";
import type { CommandCall } from "../command.ts";

/** A delivery that waits, or that failed. */
export interface PendingDelivery {
  /** Absent in the data of 0.1.0. */
  readonly replyId: string | undefined;
  readonly about: string;
  readonly target: Conversation;
  /** Held until this time in milliseconds since 1970 (0: until its platform can be reached), or the reason of the failure. */
  readonly state: { readonly heldUntil: number } | { readonly failed: string };
}

/** Private conversations of a person with this agent. */
const surfacesOf = ({ surfaces }: PersonRecord, { agent }: Pick<AgentRef, "agent">): Conversation[] =>
  surfaces.filter((surface) => surface.agent === agent).map(({ conversation }) => conversation);

/** The private conversations of the caller, with the current one: one of each room. */
export const conversationsOf = ({ message }: CommandCall, { person }: Caller): Conversation[] => {
  const { conversation } = message;
  const surfaces = surfacesOf(person, message);
  const isListed = surfaces.some((surface) => sameRoom(surface, conversation));
  return conversation.kind === "shared" || isListed ? surfaces : [conversation, ...surfaces];
};

/** The deliveries of one reply that wait or failed, in the conversations that `isShown` accepts. */
export const pendingOf = async (
  store: Store,
  ref: AgentRef,
  { replyId, audience }: PlacedReply,
  isShown: (conversation: Conversation) => boolean,
): Promise<PendingDelivery[]> => {
  const asker = await askerOf(store, { ...ref, audience });
  const began = audience.conversation;
  const surfaces = asker === undefined ? [] : surfacesOf(asker, ref);
  const places = [began, ...surfaces.filter((surface) => !sameRoom(surface, began))].filter(isShown);
  const held = await heldIn(store, places, (item) => item.replyId === replyId);
  const addressee = addresseeOf(audience);
  const isThis = (entry: Undelivered) => entry.replyId === replyId && isShown(entry.target);
  return [...held, ...(await failedFor(store, ref, addressee === undefined ? [] : [addressee], isThis))];
};

/** All deliveries to the caller that wait or failed (D2, D6). Work of accounts that have left the person is not shown (D3). */
export const pendingFor = async (call: CommandCall, caller: Caller): Promise<PendingDelivery[]> => {
  const { deps, message } = call;
  const { store } = deps;
  const mayKnow = async ({ audience }: HeldItem, target: Conversation): Promise<boolean> =>
    audience !== undefined &&
    canSee({ audience }, target, await askerOf(store, { tenant: message.tenant, audience }), () => true);
  const held = await heldIn(store, conversationsOf(call, caller), mayKnow);
  const isShown = ({ audience }: Undelivered) => caller.owns(audience);
  return [...held, ...(await failedFor(store, message, addresseesOf(caller), isShown))];
};

export const addresseesOf = ({ accounts, person }: Caller): Addressee[] => [
  ...accounts.map(({ channel, accountId }) => ["account", channel, accountId] as const),
  ["person", person.id],
];

const heldIn = async (
  store: Store,
  conversations: readonly Conversation[],
  isShown: (item: HeldItem, target: Conversation) => boolean | Promise<boolean>,
): Promise<PendingDelivery[]> => {
  const found: PendingDelivery[] = [];
  const held = await Promise.all(conversations.map((conversation) => readHeldInRoom(store, conversation)));
  for (const { target, items } of held.flat()) {
    for (const item of items) {
      if (!(await isShown(item, target))) continue;
      const { replyId, summary = "", notBefore: heldUntil } = item;
      found.push({ replyId, about: summary, target, state: { heldUntil } });
    }
  }
  return found;
};

const failedFor = async (
  store: Store,
  { tenant }: Pick<AgentRef, "tenant">,
  addressees: readonly Addressee[],
  isShown: (entry: Undelivered) => boolean,
): Promise<PendingDelivery[]> => {
  const entries = await listUndeliveredFor(store, tenant, addressees, { limit: MAX_FAILED }, isShown);
  return entries.map(({ replyId, origin, excerpt, target, reason }) => ({
    replyId,
    about: origin?.promptSummary ?? excerpt,
    target,
    state: { failed: reason },
  }));
};

/** More are in the inbox. */
const MAX_FAILED = 20;
