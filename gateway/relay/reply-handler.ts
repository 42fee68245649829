import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import type { AgentReply } from "../../core/contract/messages/agent-reply.ts";
import type { ReplyRequest } from "../../core/contract/messages/delivery-request.ts";
import { ack, type Outcome, type Received } from "../../core/contract/ports/bus.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import type { RelayContext } from "./context.ts";
import { hold, holdBack } from "./digest/hold.ts";
import { isPartFailure, partsOf, sendParts } from "./sending/delivery-parts.ts";
import type { Ledger } from "./sending/ledger.ts";
import type { RequestHandler } from "./sending/outcomes.ts";
import { afterPartFailure, deadLettered, delivered } from "./sending/outcomes.ts";
import type { PartSender } from "./sending/part-sender.ts";
import { replyPrivately } from "./sending/private-reply.ts";
import { recordPosted } from "./sending/record-posted.ts";
import { reroute } from "./sending/reroute.ts";
import type { Streams } from "./streaming/streams.ts";

interface ReplyHandlerDeps {
  readonly context: RelayContext;
  readonly adapter: ChannelAdapter;
  readonly ledger: Ledger;
  readonly sender: PartSender;
  readonly maySend: () => boolean;
  readonly streams: Streams | undefined;
}

/** Sends a reply to one conversation, each part once. */
export const replyHandler = (deps: ReplyHandlerDeps): RequestHandler<"reply"> => {
  const { context, adapter, ledger, sender, streams } = deps;
  const handle = async (request: ReplyRequest, received: Received, logger: Logger): Promise<Outcome> => {
    await streams?.end(request);
    const caller = callerOf(request);
    if (caller !== undefined) return replyPrivately(deps, request, caller, received, logger);
    const proactive = isProactive(request.reply);
    const held = proactive && request.byHand !== true ? await holdBack(context, ledger, request) : undefined;
    if (held !== undefined) return held;
    const final = await ensureFinalText(ledger, request);
    if (final === undefined) return ack;
    const sent = await sendParts(context, sender.send, await partsOf(context, adapter, final), received);
    // The process that withdrew it may have crashed before it stored it for the digest.
    if ("withdrawn" in sent) return hold(context, request, 0);
    if (isPartFailure(sent)) {
      if ("dead" in sent && (await reroute(context, adapter, request, sent.dead))) return ack;
      return afterPartFailure(context, adapter.channel, sent, received, logger);
    }
    if (proactive) await recordPosted(context, request, sent);
    return delivered(context, request);
  };
  return {
    isForOneAudience: true,
    handle,
    afterError: (retry) => retry(),
    onDeadLetter: (request, letter) => deadLettered(context, request, letter),
  };
};

/** The only account that may see a reply in a shared conversation (I3). */
export const callerOf = ({ reply, target }: Pick<ReplyRequest, "reply" | "target">): string | undefined =>
  target.kind === "shared" ? reply.onlyFor : undefined;

/** No user waits for it, so it may go into a digest, and a reply to it has to find its work. */
const isProactive = ({ kind, correlationId }: AgentReply): boolean => kind === "final" && correlationId === undefined;

/**
 * An empty reply ends a wait and shows nothing (B7), unless the platform shows its draft: a draft must not look
 * unfinished for ever. Undefined: there is nothing to show, and no draft can be posted from now on.
 */
const ensureFinalText = async (ledger: Ledger, request: ReplyRequest): Promise<ReplyRequest | undefined> => {
  const { reply, target } = request;
  if (!isEmpty(reply)) return request;
  if (await ledger.withdraw({ reply, target, part: { index: 0 } })) return undefined;
  return { ...request, reply: { ...reply, markdown: NOTHING_MORE } };
};

const NOTHING_MORE = "There is nothing to say about this.";

/** Only a channel with a log of its own shows an empty reply, as the end of a wait (B7). */
export const isEmpty = ({ markdown, actions }: AgentReply): boolean =>
  markdown.trim() === "" && (actions ?? []).length === 0;
