import type { EditingAdapter } from "../../../adapters/contract/abilities.ts";
import { capabilitiesIn, isEditingAdapter } from "../../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import { messageOf } from "../../../core/contract/app-error.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import type { OutgoingReply, RequestOf } from "../../../core/contract/messages/delivery-request.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { Outcome, Received } from "../../../core/contract/ports/bus.ts";
import { ack } from "../../../core/contract/ports/bus.ts";
import type { Timer } from "../../../core/contract/ports/clock.ts";
import { ledgerKey } from "../../../core/delivery/index.ts";
import type { RelayContext } from "../context.ts";
import { callEdit } from "./call-adapter.ts";
import { draftOf, type SendPart } from "./delivery-parts.ts";
import type { RequestHandler } from "./outcomes.ts";
import { isRetryable } from "./outcomes.ts";
import type { Delta, Written } from "./stream-draft.ts";
import { beginRequest, draftReply, LiveEdits, startId, WrittenText } from "./stream-draft.ts";

/** An answer that the model is writing. */
interface Stream {
  readonly of: Written;
  readonly written: WrittenText;
  /** Runs until the start request is published. */
  timer?: Timer;
  /** The draft, if this process has posted it. */
  messageId?: string;
  shown: string;
  isOver: boolean;
}

type Address = Pick<OutgoingReply, "reply" | "target">;

/** An older stream start is skipped; the final reply follows. */
const BEGIN_WITHIN_MS = 10_000;
const MAX_STREAMS = 1_000;
/** After a failed edit without a Retry-After. */
const FAILURE_PAUSE_MS = 10_000;

/**
 * Shows answers while the model writes them. The draft goes through the queue of its conversation, so that it keeps its
 * place; further text edits it, and the final reply becomes its last edit (PartSender). Signals may be lost: only the
 * ledger is authoritative.
 */
export class Streams {
  readonly #context: RelayContext;
  readonly #adapter: EditingAdapter;
  readonly #maySend: () => boolean;
  readonly #streams = new Map<string, Stream>();
  readonly #edits: LiveEdits<Stream>;

  constructor(context: RelayContext, adapter: EditingAdapter, streamEveryMs: number, maySend: () => boolean) {
    this.#context = context;
    this.#adapter = adapter;
    this.#maySend = maySend;
    this.#edits = new LiveEdits({
      clock: context.clock,
      channelEveryMs: streamEveryMs,
      messageEveryMs: ({ of }) => capabilitiesIn(adapter, of.conversation).editEveryMs ?? streamEveryMs,
      edit: (stream) => this.#edit(stream),
    });
  }

  onDelta({ replyId, ...delta }: Delta): void {
    if (replyId === undefined) return;
    const stream = this.#streamOf({ ...delta, replyId });
    if (stream.isOver || !stream.written.add(delta)) return;
    const { clock, limits } = this.#context;
    if (stream.messageId !== undefined) this.#edits.want(stream);
    else stream.timer ??= clock.after(limits.streamAfterMs, () => void this.#announce(stream));
  }

  /** Posts the draft of an answer unless it is too late. Always acknowledged, because the final reply follows. */
  async begin(request: RequestOf<"stream-start">, received: Received, post: SendPart): Promise<Outcome> {
    const { reply, target } = request;
    const ageMs = this.#context.clock.now() - received.publishedAt;
    if (received.attempt > 1 || ageMs > BEGIN_WITHIN_MS) return ack;
    const { correlationId = "", audience } = reply;
    const { answers } = reply;
    const of = { replyId: reply.id, conversation: target, correlationId, answers, accountId: audience.accountId };
    const stream = this.#streamOf(of);
    if (stream.isOver) return ack;
    stream.timer?.cancel();
    const { maxPartLength } = this.#adapter.capabilities;
    // Mark-up makes text longer: half of the limit certainly fits into one message.
    const half = maxPartLength === undefined ? {} : { maxPartLength: Math.floor(maxPartLength / 2) };
    const text = stream.written.text || reply.markdown;
    const draft = draftOf(
      { ...request, reply: { ...reply, markdown: text } },
      { ...this.#adapter.capabilities, ...half },
    );
    const sent = await post(draft, received).catch((error: unknown) => {
      this.#context.logger.debug({ delivery: draft.id, error: messageOf(error) }, "could not post stream draft");
      return undefined;
    });
    if (sent === undefined || !("accepted" in sent) || sent.accepted !== "now") return ack;
    stream.messageId = sent.messageId;
    stream.shown = draft.part.markdown;
    this.#edits.posted(stream);
    if (stream.written.text !== "") this.#edits.want(stream);
    return ack;
  }

  /** Stops edits before the final reply is sent. Resolves when no edit is in progress. */
  async end({ reply, target }: Address): Promise<void> {
    const stream = this.#streams.get(keyOf(reply.id, target));
    if (stream === undefined) return;
    stream.isOver = true;
    stream.timer?.cancel();
    await this.#edits.end(stream);
  }

  /** Whether this process posted the draft, so that no other process edits it. */
  hasPosted({ reply, target }: Address): boolean {
    return this.#streams.get(keyOf(reply.id, target))?.messageId !== undefined;
  }

  close(): void {
    this.#edits.close();
    for (const { timer } of this.#streams.values()) timer?.cancel();
    this.#streams.clear();
  }

  #streamOf(of: Written): Stream {
    const key = keyOf(of.replyId, of.conversation);
    const known = this.#streams.get(key);
    if (known !== undefined) return known;
    const stream: Stream = { of, written: new WrittenText(), shown: "", isOver: false };
    this.#streams.set(key, stream);
    const [oldest] = this.#streams;
    if (this.#streams.size > MAX_STREAMS && oldest !== undefined) {
      oldest[1].timer?.cancel();
      this.#streams.delete(oldest[0]);
    }
    return stream;
  }

  /** Every gateway that receives the signals publishes this; the bus deduplicates it. */
  async #announce(stream: Stream): Promise<void> {
    const { bus, tenant, agent, logger } = this.#context;
    const { text } = stream.written;
    if (text.trim() === "") return;
    const request = beginRequest(this.#context, stream.of, text);
    const { channel } = this.#adapter;
    const options = { id: startId(request), key: conversationKey(request.target) };
    await bus
      .publish(subjectsOf(tenant).userResponse(agent), draftReply(request), options)
      .catch((error: unknown) =>
        logger.debug({ channel, error: messageOf(error) }, "could not start stream, final reply follows"),
      );
  }

  async #edit(stream: Stream): Promise<number> {
    const { messageId, of, written, isOver } = stream;
    if (messageId === undefined || isOver || written.text.trim() === "") return 0;
    const request = beginRequest(this.#context, of, written.text);
    const draft = draftOf(request, this.#adapter.capabilities);
    if (draft.part.markdown === stream.shown) return 0;
    const mayContinue = await this.#mayContinue(stream, request);
    if (mayContinue === false) {
      stream.isOver = true;
      return 0;
    }
    if (mayContinue instanceof DeliveryFailed) return this.#tryLater(stream, mayContinue);
    const edited = await callEdit(this.#context, this.#adapter, messageId, draft);
    await this.#context.checkpoint("stream.edited");
    if (!(edited instanceof DeliveryFailed)) {
      stream.shown = draft.part.markdown;
      return 0;
    }
    return this.#tryLater(stream, edited);
  }

  #tryLater(stream: Stream, failure: DeliveryFailed): number {
    if (isRetryable(failure)) this.#edits.want(stream);
    else stream.isOver = true;
    return failure.retryAfterMs ?? FAILURE_PAUSE_MS;
  }

  /** Readers may have lost their access since the draft was posted (D3). A failure: the check itself failed. */
  async #mayContinue(stream: Stream, { reply, target }: Address): Promise<boolean | DeliveryFailed> {
    try {
      return (await this.#isStillBegun(stream)) && (await this.#context.isStillTarget(reply, target));
    } catch (error) {
      return error instanceof DeliveryFailed ? error : new DeliveryFailed("unavailable", messageOf(error));
    }
  }

  /** Another gateway may have taken over while this one was slow. */
  async #isStillBegun({ of, messageId }: Stream): Promise<boolean> {
    if (!this.#maySend()) return false;
    const { store } = this.#context;
    const entry = (await store.get(ledgerKey(of.replyId, of.conversation, 0)).catch(() => undefined))?.value;
    return entry?.state === "begun" && entry.messageId === messageId && entry.closedAt === undefined;
  }
}

const keyOf = (replyId: string, target: Conversation): string => `${replyId}/${conversationKey(target)}`;

/** Handles the stream starts in a channel's queue. A failure is ignored, because the final reply follows. */
export const streamStartHandler = (streams: Streams | undefined, post: SendPart): RequestHandler<"stream-start"> => ({
  isForOneAudience: true,
  handle: async (request, received) => streams?.begin(request, received, post) ?? ack,
  afterError: () => ack,
  onDeadLetter: async () => undefined,
});

/** Undefined for a channel that does not stream. */
export const streamsOf = (
  context: RelayContext,
  adapter: ChannelAdapter,
  maySend: () => boolean,
): Streams | undefined => {
  const { streamEveryMs } = adapter.capabilities;
  if (streamEveryMs === undefined || !isEditingAdapter(adapter)) return undefined;
  return new Streams(context, adapter, streamEveryMs, maySend);
};
