import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Consumer, Outcome, Received } from "../../core/contract/bus.ts";
import { ack } from "../../core/contract/bus.ts";
import type { DeliveryRequest } from "../../core/contract/delivery-request.ts";
import type { Logger } from "../../core/contract/logger.ts";
import { subjectsOf } from "../../core/contract/subjects.ts";
import { ActivitySender, dropped } from "./activity-sender.ts";
import { activityUpdateIn } from "./activity-update.ts";
import { afterFailure, afterTrouble } from "./after-failure.ts";
import { answerPrivately } from "./answer-privately.ts";
import { delivered } from "./delivered.ts";
import { DigestSender } from "./digest/digest-sender.ts";
import { hold, holdBack } from "./digest/hold.ts";
import { wakeUpLater } from "./digest/wake-up.ts";
import { givenUp } from "./given-up.ts";
import { goElsewhere } from "./go-elsewhere.ts";
import { Ledger } from "./ledger.ts";
import { noteShown } from "./note-shown.ts";
import { outboxDurable } from "./outbox-durable.ts";
import { PartSender } from "./part-sender.ts";
import { callerOf } from "./private-answer.ts";
import type { RelayContext } from "./relay-context.ts";
import { isTrouble, partsOf, sendParts } from "./send-parts.ts";
import type { Streams } from "./streaming/streams.ts";
import { withWords } from "./streaming/with-words.ts";
import { withheld } from "./withheld.ts";

/** Sends what waits for a channel: in order per conversation, each part once, with patience. */
export const startOutbox = (
  context: RelayContext,
  adapter: ChannelAdapter,
  maySend: () => boolean = () => true,
  streams?: Streams,
): Promise<Consumer> => {
  const { channel } = adapter;
  const ledger = new Ledger(context.store, context.clock);
  const sender = new PartSender(adapter, ledger, context, maySend, (part) => streams?.isOurs(part) ?? false);
  const { editEveryMs = DEFAULT_EDIT_EVERY_MS } = adapter.capabilities;
  const post = sender.send.bind(sender);
  const activities = new ActivitySender(context, adapter, { post, maySend, editEveryMs });
  const digests = new DigestSender(context, adapter, sender, ledger);
  const privately = { context, adapter, ledger, maySend };
  const send = async (request: DeliveryRequest, received: Received, logger: Logger): Promise<Outcome> => {
    if (request.digestDue) return digests.send(request.target, received);
    if (request.begins) return streams?.begin(request, received, post) ?? ack;
    await streams?.end(request);
    const caller = callerOf(request);
    if (caller !== undefined) return answerPrivately(privately, request, caller, received, logger);
    const kept = await holdBack(context, ledger, request);
    if (kept !== undefined) return kept;
    const worded = await withWords(ledger, request);
    if (worded === undefined) return ack;
    const sent = await sendParts(context, sender, await partsOf(context, adapter, worded), received);
    // Whoever withdrew it may have died before it was kept.
    if ("withdrawn" in sent) return hold(context, request, 0);
    if (isTrouble(sent)) {
      if ("dead" in sent && (await goElsewhere(context, adapter, request, sent.dead))) return ack;
      return afterTrouble(context, channel, sent, received, logger);
    }
    await noteShown(context, request, sent);
    return delivered(context, request);
  };
  return context.bus.consume(
    subjectsOf(context.tenant).delivery(channel),
    {
      durable: outboxDurable(channel),
      concurrency: context.limits.concurrency,
      async buried(request, letter) {
        if (request === undefined || request.begins || activityUpdateIn(request.reply)) return;
        if (request.digestDue) await wakeUpLater(context, request.target);
        else await givenUp(context, request, letter);
      },
    },
    async (request, received) => {
      const { traceId } = request.reply;
      const logger = context.logger.child({ channel, delivery: request.id, traceId, attempt: received.attempt });
      const update = activityUpdateIn(request.reply);
      try {
        // A digest asks for each of its items.
        const isFree = request.digestDue || (await context.isStillTarget(request.reply, request.target));
        if (!isFree) return await withheld(context, request);
        if (update) return await activities.show(update, request.target, received, logger);
        return await send(request, received, logger);
      } catch (error) {
        // The answer itself follows.
        if (request.begins) return ack;
        // The store is away, or another gateway has claimed the part. What was sent is in the ledger, so this may run again.
        logger.warn({ error: messageOf(error) }, "delivery put back");
        const isPause = error instanceof DeliveryFailed && error.reason === "rate-limited";
        const failure = isPause ? error : new DeliveryFailed("unavailable", messageOf(error));
        const outcome = afterFailure(context, channel, failure, received, logger);
        return update ? dropped(outcome, logger) : outcome;
      }
    },
  );
};

/** For adapters that do not say how often their platform bears an edit. */
const DEFAULT_EDIT_EVERY_MS = 1_000;
