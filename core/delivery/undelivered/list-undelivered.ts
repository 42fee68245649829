import { AgentReply } from "../../contract/messages/agent-reply.ts";
import { DeliveryRequest } from "../../contract/messages/delivery-request.ts";
import { deadLetterKey } from "../../contract/ports/bus.ts";
import { keyParts } from "../../contract/ports/collection.ts";
import type { Store } from "../../contract/ports/store.ts";
import { type Addressee, pointerKey, pointersOf, type Undelivered, undeliveredKey } from "./undelivered.ts";

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
