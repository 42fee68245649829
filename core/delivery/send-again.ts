import { AgentReply } from "../contract/agent-reply.ts";
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
  const asked = DeliveryRequest.safeParse(letter.message);
  // A channel with a log of its own has no requests: there the reply itself was given up.
  if (!asked.success) return publishAgain(bus, store, letter, AgentReply.parse(letter.message));
  const request = { ...asked.data, byHand: true };
  const { reply, target } = request;
  for await (const { key, value, revision } of store.list(ledgerOfTarget(reply.id, target))) {
    if (value.state !== "unknown" && value.state !== "withdrawn") continue;
    const part = Number(keyParts(key).at(-1));
    const wanted = { state: "failed", at: isoTime(clock.now()), reason: "send again" } as const;
    await store.put(ledgerKey(reply.id, target, part), wanted, { ifRevision: revision });
  }
  // The time of its death makes the id a new one for the bus, and the same one if this is done twice.
  const options = { id: `${request.id}/again/${letter.deadAt}`, key: conversationKey(target) };
  await bus.publish(subjectsOf(reply.tenant).delivery(target.channel), request, options);
  await store.delete(deadLetterKey(letter.durable, letter.id));
};

/** Whoever has shown it recognises it. */
const publishAgain = async (bus: Bus, store: Store, letter: DeadLetter, reply: AgentReply): Promise<void> => {
  const options = { id: `${reply.id}/again/${letter.deadAt}`, key: conversationKey(reply.audience.conversation) };
  const subject = subjectsOf(reply.tenant).userResponse(reply.agent);
  await bus.publish(subject, { ...reply, mayRepeat: true }, options);
  await store.delete(deadLetterKey(letter.durable, letter.id));
};
