import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import type { Consumer, Outcome, Received } from "../../core/contract/bus.ts";
import { ack } from "../../core/contract/bus.ts";
import { conversationKey } from "../../core/contract/conversation.ts";
import type { DeliveryRequest } from "../../core/contract/delivery-request.ts";
import { subjectsOf } from "../../core/contract/subjects.ts";
import { appendToLog } from "./append-to-log.ts";
import { givenUp } from "./given-up.ts";
import { outboxDurable } from "./outbox-durable.ts";
import type { RelayContext } from "./relay-context.ts";
import { withheld } from "./withheld.ts";

type Deliver = (request: DeliveryRequest, received: Received) => Promise<Outcome>;

/** Appends at once, or queues the request until the quiet hours of its conversation have ended (D2). */
export const appendOrHold = (context: RelayContext, adapter: ChannelAdapter): Deliver => {
  const append = appendToLog(context, adapter);
  const { bus, clock, tenant, logger } = context;
  return async (request, received) => {
    const { id, target, reply, holdUntil = 0 } = request;
    if (holdUntil <= clock.now()) return append(request, received);
    await bus.publish(subjectsOf(tenant).delivery(adapter.channel), request, { id, key: conversationKey(target) });
    logger.info({ channel: adapter.channel, delivery: id, traceId: reply.traceId }, "delivery held for quiet hours");
    return ack;
  };
};

/** Appends held deliveries one by one, in order per conversation. A log needs no digest: its readers scroll. */
export const startHeldForLog = (context: RelayContext, adapter: ChannelAdapter): Promise<Consumer> => {
  const append = appendToLog(context, adapter);
  const { bus, clock, tenant, limits } = context;
  return bus.consume(
    subjectsOf(tenant).delivery(adapter.channel),
    {
      durable: outboxDurable(adapter.channel),
      concurrency: limits.concurrency,
      async buried(request, letter) {
        if (request !== undefined) await givenUp(context, request, letter);
      },
    },
    async (request, received) => {
      const leftMs = (request.holdUntil ?? 0) - clock.now();
      if (leftMs > 0) return { retryInMs: leftMs };
      if (!(await context.isStillTarget(request.reply, request.target))) return withheld(context, request);
      return append(request, received);
    },
  );
};
