import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import type { AgentReply } from "../../core/contract/messages/agent-reply.ts";
import type { ReplyRequest, RequestKind } from "../../core/contract/messages/delivery-request.ts";
import { replacementIn } from "../../core/contract/messages/replacement.ts";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import { ack, type Consumer, type Outcome, type Received } from "../../core/contract/ports/bus.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import { isProactive } from "../../core/delivery/index.ts";
import { activityHandler } from "./activity/activity-sender.ts";
import type { RelayContext } from "./context.ts";
import { DigestSender } from "./digest/digest-sender.ts";
import { hold, holdBack } from "./digest/hold.ts";
import { readerTexts } from "./reader-texts.ts";
import { isPartFailure, partsOf, sendParts } from "./sending/delivery-parts.ts";
import { Ledger } from "./sending/ledger.ts";
import {
  afterFailure,
  afterPartFailure,
  deadLettered,
  delivered,
  outboxDurable,
  type RequestHandler,
  withheld,
} from "./sending/outcomes.ts";
import { PartSender } from "./sending/part-sender.ts";
import { replyPrivately } from "./sending/private-reply.ts";
import { recordPosted } from "./sending/record-posted.ts";
import { recordReplaceable, replacePosted } from "./sending/replace-posted.ts";
import { reroute } from "./sending/reroute.ts";
import { type Streams, streamStartHandler } from "./sending/streams.ts";
import type { WorkMarks } from "./sending/work-marks.ts";

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
  workMarks?: WorkMarks,
): Promise<Consumer> => {
  const { channel } = adapter;
  const handlers = handlersOf(context, adapter, maySend, streams);
  return context.bus.consume(
    subjectsOf(context.tenant).delivery(channel),
    {
      durable: outboxDurable(channel),
      concurrency: context.limits.concurrency,
      async onDeadLetter(request, letter) {
        if (request === undefined) return;
        await handlerOf(handlers, request).onDeadLetter(request, letter);
        if (request.kind === "reply") await workMarks?.end(request);
      },
    },
    async (request, received) => {
      const { traceId } = request.reply;
      const logger = context.logger.child({ channel, delivery: request.id, traceId, attempt: received.attempt });
      const handler = handlerOf(handlers, request);
      try {
        const isAllowed = !handler.isForOneAudience || (await context.isStillTarget(request.reply, request.target));
        const outcome = isAllowed ? await handler.handle(request, received, logger) : await withheld(context, request);
        if (request.kind === "reply" && "ack" in outcome) await workMarks?.end(request);
        return outcome;
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

interface ReplyHandlerDeps {
  readonly context: RelayContext;
  readonly adapter: ChannelAdapter;
  readonly ledger: Ledger;
  readonly sender: PartSender;
  readonly maySend: () => boolean;
  readonly streams: Streams | undefined;
}

/** Sends a reply to one conversation, each part once. */
const replyHandler = (deps: ReplyHandlerDeps): RequestHandler<"reply"> => {
  const { context, adapter, ledger, sender, maySend, streams } = deps;
  const handle = async (request: ReplyRequest, received: Received, logger: Logger): Promise<Outcome> => {
    await streams?.end(request);
    const caller = callerOf(request);
    if (caller !== undefined) return replyPrivately(deps, request, caller, received, logger);
    const proactive = isProactive(request.reply);
    const held = proactive && request.byHand !== true ? await holdBack(context, ledger, request) : undefined;
    if (held !== undefined) return held;
    const final = await ensureFinalText(context, ledger, request);
    if (final === undefined) return ack;
    // A plain answer has no data, so it neither replaces a message nor is replaced.
    const hasData = request.reply.data !== undefined;
    if (hasData && replacementIn(request.reply) !== undefined) {
      const replaced = maySend() ? await replacePosted(context, adapter, request) : notTheHolder();
      if (replaced === "replaced") return delivered(context, request);
      if (replaced !== "post") return afterFailure(context, adapter.channel, replaced, received, logger);
    }
    const sent = await sendParts(context, sender.send, await partsOf(context, adapter, final), received);
    // The process that withdrew it may have crashed before it stored it for the digest.
    if ("withdrawn" in sent) return hold(context, request, 0);
    if (isPartFailure(sent)) {
      if ("dead" in sent && (await reroute(context, adapter, request, sent.dead))) return ack;
      return afterPartFailure(context, adapter.channel, sent, received, logger);
    }
    if (proactive) await recordPosted(context, request, sent);
    if (hasData) await recordReplaceable(context, request, sent);
    return delivered(context, request);
  };
  return {
    isForOneAudience: true,
    handle,
    afterError: (retry) => retry(),
    onDeadLetter: (request, letter) => deadLettered(context, request, letter),
  };
};

const notTheHolder = () => new DeliveryFailed("unavailable", "another gateway has the channel");

/** The only account that may see a reply in a shared conversation (I3). */
export const callerOf = ({ reply, target }: Pick<ReplyRequest, "reply" | "target">): string | undefined =>
  target.kind === "shared" ? reply.onlyFor : undefined;

/**
 * An empty reply ends a wait and shows nothing (B7), unless the platform shows its draft: a draft must not look
 * unfinished for ever. Undefined: there is nothing to show, and no draft can be posted from now on.
 */
const ensureFinalText = async (
  context: RelayContext,
  ledger: Ledger,
  request: ReplyRequest,
): Promise<ReplyRequest | undefined> => {
  const { reply, target } = request;
  if (!isEmpty(reply)) return request;
  if (await ledger.withdraw({ reply, target, part: { index: 0 } })) return undefined;
  const { placeholders } = await readerTexts(context, reply, target);
  return { ...request, reply: { ...reply, markdown: placeholders.nothingMore } };
};

/** Only a channel with a log of its own shows an empty reply, as the end of a wait (B7). */
export const isEmpty = ({ markdown, actions, files }: AgentReply): boolean =>
  markdown.trim() === "" && (actions ?? []).length === 0 && (files ?? []).length === 0;
