import { z } from "zod";
import { isWorkMarkingAdapter, type WorkMarkingAdapter } from "../../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import { RateLimit } from "../../../adapters/contract/rate-limit.ts";
import { messageOf } from "../../../core/contract/app-error.ts";
import { Conversation, conversationKey, sameConversation } from "../../../core/contract/messages/conversation.ts";
import type { OutgoingReply } from "../../../core/contract/messages/delivery-request.ts";
import { isoTime, type Timer } from "../../../core/contract/ports/clock.ts";
import { collection, type Key, keyOf, prefixOf } from "../../../core/contract/ports/store.ts";
import { update } from "../../../core/contract/ports/update.ts";
import type { RelayContext } from "../context.ts";
import { isRetryable } from "./outcomes.ts";

/** working: the mark may be visible. ending: it must be removed. ended: no process marks the message any more. */
const Mark = z.looseObject({
  state: z.enum(["working", "ending", "ended"]),
  conversation: Conversation,
  messageId: z.string(),
  at: z.iso.datetime(),
});
type Mark = z.infer<typeof Mark>;

const marks = collection("work-marks", Mark, { ttlMs: 7 * 24 * 3_600_000 });

/** A faster answer needs no mark, and costs no calls. */
const MARK_AFTER_MS = 3_000;
/** Slack allows about 20 removals a minute. https://docs.slack.dev/reference/methods/reactions.remove */
const MARKS_PER_MINUTE = 20;
/** Until then every gateway that received the signal has decided whether to mark the message. */
const ENDED_TTL_MS = 10 * 60_000;
const SWEEP_EVERY_MS = 3_600_000;
const STALE_MS = 3_600_000;
const MAX_REMOVALS = 5;
const FIRST_PAUSE_MS = 2_000;
const MAX_PENDING = 10_000;

/**
 * Marks the messages on whose answers the agent works. The record of a mark outlives its process, so that another one
 * removes the mark. Nothing depends on marks: every failure is only logged.
 */
export class WorkMarks {
  readonly #context: RelayContext;
  readonly #adapter: WorkMarkingAdapter;
  readonly #rate = RateLimit.perMinute(MARKS_PER_MINUTE);
  readonly #pending = new Map<string, Timer>();
  readonly #retries = new Set<Timer>();
  #fullAt = 0;
  #pausedUntil = 0;
  #sweeping: Timer | undefined;
  #isClosed = false;

  constructor(context: RelayContext, adapter: WorkMarkingAdapter) {
    this.#context = context;
    this.#adapter = adapter;
  }

  /** Removes the marks that a crash has left behind, now and from time to time. */
  start(): void {
    this.#inBackground(this.#sweep());
    this.#sweeping = this.#context.clock.after(SWEEP_EVERY_MS, () => this.start());
  }

  close(): void {
    this.#isClosed = true;
    this.#sweeping?.cancel();
    for (const timer of [...this.#pending.values(), ...this.#retries]) timer.cancel();
  }

  /** The agent works on a message. */
  onWork(conversation: Conversation, messageId: string): void {
    const key = keyIn(conversation, messageId);
    if (this.#pending.has(key.encoded) || this.#pending.size >= MAX_PENDING) return;
    const begin = () => {
      this.#pending.delete(key.encoded);
      if (this.#mayMark()) this.#inBackground(this.#begin(key, conversation, messageId));
    };
    this.#pending.set(key.encoded, this.#context.clock.after(MARK_AFTER_MS, begin));
  }

  /** The answer is posted, or will never be. Resolves once that is stored, so that a crash leaves no mark behind. */
  async end({ reply: { answers: messageId, audience }, target: conversation }: OutgoingReply): Promise<void> {
    if (messageId === undefined || !sameConversation(conversation, audience.conversation)) return;
    const key = keyIn(conversation, messageId);
    this.#pending.get(key.encoded)?.cancel();
    this.#pending.delete(key.encoded);
    try {
      const { after } = await this.#write(key, (mark) => {
        if (mark === undefined) return this.#markOf("ended", conversation, messageId);
        return mark.state === "working" ? { ...mark, state: "ending" } : mark;
      });
      if (after?.state === "ending") this.#inBackground(this.#remove(key, after));
    } catch (error) {
      this.#log(error);
    }
  }

  /** One gateway marks the message, although all of them receive the signal. */
  async #begin(key: Key<Mark>, conversation: Conversation, messageId: string): Promise<void> {
    const { outcome } = await this.#write(key, (mark) => mark ?? this.#markOf("working", conversation, messageId));
    if (outcome !== "written") return;
    try {
      await this.#adapter.markWorking(conversation, messageId);
    } catch (error) {
      this.#notePause(error);
      const mayBeShown = !(error instanceof DeliveryFailed) || error.reason === "unknown";
      if (!mayBeShown) await this.#write(key, (mark) => mark && { ...mark, state: "ended" });
      throw error;
    }
    const mark = (await this.#context.store.get(key))?.value;
    // The answer was posted in the meantime, and its process may have removed the mark before it appeared.
    if (mark !== undefined && mark.state !== "working") await this.#remove(key, mark);
  }

  async #remove(key: Key<Mark>, mark: Mark, attempt = 1): Promise<void> {
    try {
      await this.#adapter.unmarkWorking(mark.conversation, mark.messageId);
    } catch (error) {
      this.#notePause(error);
      this.#log(error);
      if (!(error instanceof DeliveryFailed) || isRetryable(error)) return this.#removeLater(key, mark, attempt, error);
    }
    await this.#write(key, (now) => now && { ...now, state: "ended" });
  }

  /** After the last attempt the mark stays until the next sweep. */
  #removeLater(key: Key<Mark>, mark: Mark, attempt: number, error: unknown): void {
    if (attempt === MAX_REMOVALS || this.#isClosed) return;
    const retryAfterMs = error instanceof DeliveryFailed ? (error.retryAfterMs ?? 0) : 0;
    const timer = this.#context.clock.after(Math.max(retryAfterMs, FIRST_PAUSE_MS * 2 ** (attempt - 1)), () => {
      this.#retries.delete(timer);
      this.#inBackground(this.#remove(key, mark, attempt + 1));
    });
    this.#retries.add(timer);
  }

  async #sweep(): Promise<void> {
    const { store, clock } = this.#context;
    for await (const { value: mark } of store.list(prefixOf(marks, this.#adapter.channel))) {
      const isStale = mark.state === "working" && clock.now() - Date.parse(mark.at) > STALE_MS;
      if (mark.state === "ending" || isStale) await this.#remove(keyIn(mark.conversation, mark.messageId), mark);
    }
  }

  #write(key: Key<Mark>, change: (mark: Mark | undefined) => Mark | undefined) {
    return update(this.#context.store, key, change, {
      ttlMs: ({ state }) => (state === "ended" ? ENDED_TTL_MS : undefined),
    });
  }

  #markOf(state: Mark["state"], conversation: Conversation, messageId: string): Mark {
    return { state, conversation, messageId, at: isoTime(this.#context.clock.now()) };
  }

  #mayMark(): boolean {
    const now = this.#context.clock.monotonic();
    const fullAt = now < this.#pausedUntil ? undefined : this.#rate.take(this.#fullAt, now);
    if (fullAt !== undefined) this.#fullAt = fullAt;
    return fullAt !== undefined;
  }

  #notePause(error: unknown): void {
    if (!(error instanceof DeliveryFailed) || error.reason !== "rate-limited") return;
    this.#pausedUntil = this.#context.clock.monotonic() + (error.retryAfterMs ?? FIRST_PAUSE_MS);
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#log(error));
  }

  #log(error: unknown): void {
    const { channel } = this.#adapter;
    this.#context.logger.debug({ channel, error: messageOf(error) }, "could not mark the message that is worked on");
  }
}

const keyIn = (conversation: Conversation, messageId: string): Key<Mark> =>
  keyOf(marks, conversation.channel, conversationKey(conversation), messageId);

/** Undefined for a channel that marks no work. */
export const workMarksOf = (context: RelayContext, adapter: ChannelAdapter): WorkMarks | undefined =>
  isWorkMarkingAdapter(adapter) ? new WorkMarks(context, adapter) : undefined;
