import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { ReplyRequest } from "../../../core/contract/messages/delivery-request.ts";
import { ledgerKey } from "../../../core/delivery/index.ts";
import type { Digest } from "../../../core/delivery/undelivered/index.ts";
import type { RelayContext } from "../context.ts";
import type { Ledger } from "../sending/ledger.ts";
import { recordPostedTogether } from "../sending/record-posted.ts";

/** How much of a part, or of an item, people may have seen; `shown` is the platform's id of its last message. */
export type ShownState = { readonly shown: string } | "unsent" | "unknown";

export const isShown = (state: ShownState | undefined): state is { readonly shown: string } =>
  typeof state === "object";

export const messageIdOf = (state: ShownState): string | undefined => (isShown(state) ? state.shown : undefined);

interface ShownStates {
  readonly parts: readonly ShownState[];
  /** Shown states by the id of the request. */
  readonly items: ReadonlyMap<string, ShownState>;
}

/** The states of an interrupted digest. It withdraws the unsent parts, so that no process sends them. */
export const shownStatesOf = async (context: RelayContext, ledger: Ledger, begun: Begun): Promise<ShownStates> => {
  const { digest, requests } = begun;
  const parts: ShownState[] = [];
  for (const part of begun.parts) parts.push(await shownStateOf(context, ledger, part));
  const isIn = (id: string, index: number) => digest.parts[index]?.itemIds.includes(id) ?? true;
  const items = requests.map(({ id }) => [id, together(parts.filter((_, index) => isIn(id, index)))] as const);
  return { parts, items: new Map(items) };
};

const shownStateOf = async ({ store }: RelayContext, ledger: Ledger, part: Delivery): Promise<ShownState> => {
  if (await ledger.withdraw(part)) return "unsent";
  const entry = (await store.get(ledgerKey(part.reply.id, part.target, part.part.index)))?.value;
  return entry?.state === "accepted" ? { shown: entry.messageId } : "unknown";
};

const together = (states: readonly ShownState[]): ShownState => {
  if (states.every((state) => state === "unsent")) return "unsent";
  const last = states.at(-1);
  return last !== undefined && states.every(isShown) ? last : "unknown";
};

type Requests = readonly [ReplyRequest, ...ReplyRequest[]];

export const isSome = (requests: readonly ReplyRequest[]): requests is Requests => requests.length > 0;

/** A digest that is stored as begun, with its requests and parts. */
export interface Begun {
  readonly digest: Digest;
  readonly requests: Requests;
  readonly parts: readonly Delivery[];
}

/** Makes each posted message of a digest answerable, even if the rest fails (O14). */
export const recordMessages = async (
  context: RelayContext,
  target: Conversation,
  { digest, requests }: Begun,
  /** Message ids by part; undefined if the part is not known to be shown. */
  messageIds: readonly (string | undefined)[],
): Promise<void> => {
  const { parts, itemIds } = digest;
  // A single item is sent as itself, without a number.
  const numberOf = (id: string) => (parts.length === 0 ? {} : { number: itemIds.indexOf(id) + 1 });
  for (const [index, messageId] of messageIds.entries()) {
    const shownIds = parts[index]?.itemIds ?? itemIds;
    const shown = requests.filter(({ id }) => shownIds.includes(id));
    const replies = shown.map(({ id, reply }) => ({ reply, ...numberOf(id) }));
    if (messageId !== undefined) await recordPostedTogether(context, target, messageId, replies);
  }
};
