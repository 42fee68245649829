import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import type { RequestKind } from "../../core/contract/messages/delivery-request.ts";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import type { Consumer } from "../../core/contract/ports/bus.ts";
import { activityHandler } from "./activity/activity-sender.ts";
import type { RelayContext } from "./context.ts";
import { DigestSender } from "./digest/digest-sender.ts";
import { replyHandler } from "./reply-handler.ts";
import { Ledger } from "./sending/ledger.ts";
import type { RequestHandler } from "./sending/outcomes.ts";
import { afterFailure, outboxDurable, withheld } from "./sending/outcomes.ts";
import { PartSender } from "./sending/part-sender.ts";
import { type Streams, streamStartHandler } from "./streaming/streams.ts";

type Handlers = { readonly [K in RequestKind]: RequestHandler<K> };

/** Every kind of request has one handler; a new kind does not compile without one. */
const handlersOf = (
  context: RelayContext,
  adapter: ChannelAdapter,
  maySend: () => boolean,
  streams: Streams | undefined,
): Handlers => {
  const ledger = new Ledger(context.store, context.clock);
  const sender = new PartSender(adapter, ledger, context, maySend, (part) => streams?.hasPosted(part) ?? false);
  return {
    activity: activityHandler(context, adapter, sender.send, maySend),
    digest: new DigestSender(context, adapter, sender, ledger),
    reply: replyHandler({ context, adapter, ledger, sender, maySend, streams }),
    "stream-start": streamStartHandler(streams, sender.send),
  };
};

const handlerOf = <K extends RequestKind>(handlers: Handlers, { kind }: { readonly kind: K }): RequestHandler<K> =>
  handlers[kind];

/** Sends the queued requests of a channel: in order per conversation, each part once, with retries. */
export const startOutbox = (
  context: RelayContext,
  adapter: ChannelAdapter,
  maySend: () => boolean = () => true,
  streams?: Streams,
): Promise<Consumer> => {
  const { channel } = adapter;
  const handlers = handlersOf(context, adapter, maySend, streams);
  return context.bus.consume(
    subjectsOf(context.tenant).delivery(channel),
    {
      durable: outboxDurable(channel),
      concurrency: context.limits.concurrency,
      async onDeadLetter(request, letter) {
        if (request !== undefined) await handlerOf(handlers, request).onDeadLetter(request, letter);
      },
    },
    async (request, received) => {
      const { traceId } = request.reply;
      const logger = context.logger.child({ channel, delivery: request.id, traceId, attempt: received.attempt });
      const handler = handlerOf(handlers, request);
      try {
        const isAllowed = !handler.isForOneAudience || (await context.isStillTarget(request.reply, request.target));
        return isAllowed ? await handler.handle(request, received, logger) : await withheld(context, request);
      } catch (error) {
        const isPause = error instanceof DeliveryFailed && error.reason === "rate-limited";
        const failure = isPause ? error : new DeliveryFailed("unavailable", messageOf(error));
        const retry = () => {
          logger.warn({ error: messageOf(error) }, "dependency unavailable, delivery will be retried");
          return afterFailure(context, channel, failure, received, logger);
        };
        return handler.afterError(retry, logger);
      }
    },
  );
};
