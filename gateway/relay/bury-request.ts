import type { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import { isoTime } from "../../core/contract/clock.ts";
import { conversationKey } from "../../core/contract/conversation.ts";
import type { DeadLetter } from "../../core/contract/dead-letter.ts";
import { deadLetterKey } from "../../core/contract/dead-letter.ts";
import type { DeliveryRequest } from "../../core/contract/delivery-request.ts";
import { subjectsOf } from "../../core/contract/subjects.ts";
import { givenUp } from "./given-up.ts";
import { outboxDurable } from "./outbox-durable.ts";
import type { RelayContext } from "./relay-context.ts";

/** Makes a dead letter of a request that is no longer on the bus, as the bus would have. Again: the same letter. */
export const buryRequest = async (
  context: RelayContext,
  channel: string,
  request: DeliveryRequest,
  failure: DeliveryFailed,
  since: string,
): Promise<void> => {
  const { store, clock, tenant, meter, logger } = context;
  const letter: DeadLetter = {
    subject: subjectsOf(tenant).delivery(channel).name,
    durable: outboxDurable(channel),
    id: request.id,
    key: conversationKey(request.target),
    message: request,
    reason: `${failure.reason}: ${failure.message}`,
    attempts: 1,
    publishedAt: since,
    deadAt: isoTime(clock.now()),
  };
  meter.count("delivery_dead_letters_total", { channel, reason: failure.reason });
  logger.error({ channel, delivery: request.id, reason: failure.reason }, "dead letter");
  await store.put(deadLetterKey(letter.durable, letter.id), letter);
  await givenUp(context, request, letter);
};
