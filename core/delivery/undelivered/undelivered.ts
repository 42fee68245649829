import { z } from "zod";
import { namesOfFiles } from "../../contract/file-ref.ts";
import { AgentReply } from "../../contract/messages/agent-reply.ts";
import { Conversation, conversationKey } from "../../contract/messages/conversation.ts";
import { DeliveryRequest } from "../../contract/messages/delivery-request.ts";
import { Audience, ReplyOrigin } from "../../contract/messages/work-context.ts";
import { type DeadLetter, deadLetterKey } from "../../contract/ports/bus.ts";
import { collection, keyOf, keyParts, prefixOf, type Store } from "../../contract/ports/store.ts";
import { newestFirst } from "../../contract/ports/token.ts";
import type { Texts } from "../../contract/texts/texts.ts";
import { cutAtGraphemes, stableId } from "../../lib/index.ts";
import { askingAccount } from "../../people/index.ts";

/** The index entry of a dead-lettered delivery, for the people and operators who can settle it (D6). */
export const Undelivered = z.looseObject({
  /** Sorts newest first. */
  id: z.string(),
  tenant: z.string(),
  channel: z.string(),
  /** Absent in the data of 0.1.0. */
  replyId: z.string().optional(),
  /** The key of its dead letter. */
  letter: z.looseObject({ durable: z.string(), id: z.string() }),
  target: Conversation,
  audience: Audience,
  origin: ReplyOrigin.nullable(),
  /** The beginning of its text. */
  excerpt: z.string(),
  /** `<kind of failure>: <why>` */
  reason: z.string(),
  deadAt: z.iso.datetime(),
  /** The request that is settling the entry now. */
  taken: z.looseObject({ by: z.string(), at: z.iso.datetime() }).optional(),
});
export type Undelivered = z.infer<typeof Undelivered>;

/** Index by addressee, so that a person's inbox does not scan a whole channel. */
const Pointer = z.looseObject({ channel: z.string() });

const undelivered = collection("undelivered", Undelivered);
const pointers = collection("undelivered-of", Pointer);

export interface UndeliveredAddress {
  readonly tenant: string;
  readonly channel: string;
  readonly id: string;
}

export const undeliveredKey = ({ tenant, channel, id }: UndeliveredAddress) => keyOf(undelivered, tenant, channel, id);
export const undeliveredOn = (tenant: string, channel: string) => prefixOf(undelivered, tenant, channel);

/** The owner of the entry: the account that asked, or the person if no account did. */
export type Addressee = readonly ["account", channel: string, accountId: string] | readonly ["person", string];

export const addresseeOf = (audience: Audience): Addressee | undefined => {
  const { personId } = audience;
  const asker = askingAccount(audience);
  if (asker !== undefined) return ["account", asker.channel, asker.accountId];
  return personId === null ? undefined : ["person", personId];
};

export const pointerKey = (tenant: string, addressee: Addressee, id: string) =>
  keyOf(pointers, tenant, ...addressee, id);
const pointersOf = (tenant: string, addressee: Addressee) => prefixOf(pointers, tenant, ...addressee);

/** Lists a dead letter for one of its targets. Idempotent. */
export const noteUndelivered = async (
  store: Store,
  { reply, target }: { reply: AgentReply; target: Conversation },
  { durable, id: letterId, reason, publishedAt, deadAt }: DeadLetter,
): Promise<void> => {
  const { tenant, audience, origin, markdown, files = [] } = reply;
  const id = undeliveredId({ durable, id: letterId, publishedAt }, target);
  const entry: Undelivered = {
    id,
    tenant,
    channel: target.channel,
    replyId: reply.id,
    letter: { durable, id: letterId },
    target,
    audience,
    origin,
    excerpt: cutAtGraphemes((markdown.trim() || namesOfFiles(files)).replace(/\s+/g, " ").trim(), EXCERPT_CHARS),
    reason,
    deadAt,
  };
  const addressee = addresseeOf(audience);
  if (addressee !== undefined) await store.put(pointerKey(tenant, addressee, id), { channel: target.channel });
  await store.put(undeliveredKey(entry), entry);
};

/** Sorts newest first. The target is part of it, because one dead-lettered reply may have failed in several conversations. */
export const undeliveredId = (
  { durable, id, publishedAt }: Pick<DeadLetter, "durable" | "id" | "publishedAt">,
  target: Conversation,
): string =>
  `${newestFirst(Date.parse(publishedAt))}-${stableId("d", durable, id, conversationKey(target)).slice(2, 10)}`;

const EXCERPT_CHARS = 120;

/** The reason of a dead letter, `<kind of failure>: <why>`, or a key of the texts, as a text for people. */
export const deliveryFailureText = (reason: string, { delivery }: Texts): string => {
  const [, kind = "", why = reason] = /^([a-z-]+): ([\s\S]*)$/.exec(reason) ?? [];
  if (Object.hasOwn(delivery.reasons, reason)) return delivery.reasons[reason as keyof Texts["delivery"]["reasons"]];
  const text = (delivery.failures as Readonly<Record<string, string>>)[kind];
  return text === undefined ? reason : `${text} (${why})`;
};

interface Page {
  readonly limit: number;
  /** The id of the last entry of the previous page. */
  readonly after?: string | undefined;
}

/** The undelivered entries of these addressees that `isShown` accepts, newest first. */
export const listUndeliveredFor = async (
  store: Store,
  tenant: string,
  addressees: readonly Addressee[],
  { limit, after = "" }: Page,
  isShown: (entry: Undelivered) => boolean = () => true,
): Promise<Undelivered[]> => {
  const pointers: { id: string; channel: string }[] = [];
  for (const addressee of addressees) {
    for await (const { key, value } of store.list(pointersOf(tenant, addressee))) {
      const id = keyParts(key).at(-1) ?? "";
      if (id > after) pointers.push({ id, channel: value.channel });
    }
  }
  const found: Undelivered[] = [];
  for (const { id, channel } of pointers.sort((one, other) => (one.id < other.id ? -1 : 1))) {
    const entry = (await store.get(undeliveredKey({ tenant, channel, id })))?.value;
    if (entry !== undefined && isShown(entry)) found.push(entry);
    if (found.length >= limit) break;
  }
  return found;
};

/** The entry with this id, if it belongs to one of these addressees. */
export const findUndelivered = async (
  store: Store,
  tenant: string,
  addressees: readonly Addressee[],
  id: string,
): Promise<Undelivered | undefined> => {
  // The id comes from user input.
  if (!/^[a-z0-9-]{1,40}$/.test(id)) return undefined;
  for (const addressee of addressees) {
    const pointer = await store.get(pointerKey(tenant, addressee, id));
    if (pointer) return (await store.get(undeliveredKey({ tenant, channel: pointer.value.channel, id })))?.value;
  }
  return undefined;
};

interface LetterContent {
  readonly reply: AgentReply;
  /** Absent on channels with their own log: they have no delivery requests, and the letter is the reply. */
  readonly request?: DeliveryRequest;
}

/** The content of a delivery's dead letter; undefined if it is invalid. */
export const letterContent = (message: unknown): LetterContent | undefined => {
  const { data: request } = DeliveryRequest.safeParse(message);
  if (request !== undefined) return { reply: request.reply, request };
  const { data: reply } = AgentReply.safeParse(message);
  return reply && { reply };
};

/** The reply in a dead letter. */
export const readDeadLetter = async (
  store: Store,
  { durable, id }: Undelivered["letter"],
): Promise<AgentReply | undefined> =>
  letterContent((await store.get(deadLetterKey(durable, id)))?.value.message)?.reply;
