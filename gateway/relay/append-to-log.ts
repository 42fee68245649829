import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import type { Outcome, Received } from "../../core/contract/bus.ts";
import { DUPLICATE_WINDOW_MS } from "../../core/contract/bus.ts";
import type { DeliveryRequest } from "../../core/contract/delivery-request.ts";
import { afterFailure } from "./after-failure.ts";
import { callDeliver } from "./call-adapter.ts";
import { delivered } from "./delivered.ts";
import { deliveryParts } from "./delivery-parts.ts";
import { noteShown } from "./note-shown.ts";
import { callerOf, toPrivate } from "./private-answer.ts";
import type { RelayContext } from "./relay-context.ts";
import { withheld } from "./withheld.ts";

/** Delivers to a channel with a log of its own: a second append changes nothing, so every failure may be tried again. */
export const appendToLog =
  (context: RelayContext, adapter: ChannelAdapter) =>
  async (asked: DeliveryRequest, received: Received): Promise<Outcome> => {
    const { channel, capabilities } = adapter;
    // Made when it is needed: a child costs as much as a line.
    const logger = () => context.logger.child({ channel, delivery: asked.id, traceId: asked.reply.traceId });
    const caller = callerOf(asked);
    const request = caller === undefined ? asked : await toPrivate(context, adapter, asked, caller);
    if (request instanceof DeliveryFailed) return afterFailure(context, channel, request, received, logger());
    // Where it was to go was asked a moment ago; where it found its caller alone was not.
    const isMoved = request.target !== asked.target;
    if (isMoved && !(await context.isStillTarget(request.reply, request.target))) return withheld(context, request);
    const mayRepeat = received.attempt > 1 || request.reply.mayRepeat === true || isOld(context, request);
    const anchor = await context.anchorIn(request.target, request.reply);
    const messageIds: string[] = [];
    for (const part of deliveryParts(request, capabilities, anchor)) {
      const sent = await callDeliver(context, adapter, { ...part, mayRepeat });
      const failure = sent instanceof DeliveryFailed ? sent : undefined;
      context.meter.count("deliveries_total", { channel, outcome: failure?.reason ?? "accepted" });
      if (sent instanceof DeliveryFailed) return afterFailure(context, channel, sent, received, logger());
      messageIds.push(sent.messageId);
    }
    await context.checkpoint("delivery.sent");
    await noteShown(context, request, messageIds);
    return delivered(context, request);
  };

/**
 * A process that slept publishes what another has published for it, later than the bus remembers. Its reply has the
 * time of its first making, so only an old one can be such a repeat. Half of the window, because clocks differ.
 */
const isOld = ({ clock }: RelayContext, { reply }: DeliveryRequest): boolean =>
  clock.now() - Date.parse(reply.createdAt) > DUPLICATE_WINDOW_MS / 2;
