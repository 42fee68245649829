import type { Bus } from "../contract/bus.ts";
import type { Clock } from "../contract/clock.ts";
import { isoTime } from "../contract/clock.ts";
import { keyParts } from "../contract/collection.ts";
import { conversationKey } from "../contract/conversation.ts";
import type { DeadLetter } from "../contract/dead-letter.ts";
import { deadLetterKey } from "../contract/dead-letter.ts";
import { DeliveryRequest } from "../contract/delivery-request.ts";
import type { Store } from "../contract/store.ts";
import { subjectsOf } from "../contract/subjects.ts";
import { ledgerKey, ledgerOfTarget } from "./ledger-entry.ts";

/**
 * Somebody has looked at a delivery that was given up and wants it sent again (D6). Parts that were accepted are not
 * repeated; those with an unknown outcome are, because a person has decided it. Safe to do twice.
 */
export const sendAgain = async (
  { bus, store, clock }: { bus: Bus; store: Store; clock: Clock },
  letter: DeadLetter,
): Promise<void> => {
  const request = DeliveryRequest.parse(letter.message);
  const { reply, target } = request;
  for await (const { key, value, revision } of store.list(ledgerOfTarget(reply.id, target))) {
    if (value.state !== "unknown") continue;
    const part = Number(keyParts(key).at(-1));
    const asked = { state: "failed", at: isoTime(clock.now()), reason: "send again" } as const;
    await store.put(ledgerKey(reply.id, target, part), asked, { ifRevision: revision });
  }
  // The time of its death makes the id a new one for the bus, and the same one if this is done twice.
  const options = { id: `${request.id}/again/${letter.deadAt}`, key: conversationKey(target) };
  await bus.publish(subjectsOf(reply.tenant).delivery(target.channel), request, options);
  await store.delete(deadLetterKey(letter.durable, letter.id));
};
