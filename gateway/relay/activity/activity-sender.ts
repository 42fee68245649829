import type { EditingAdapter } from "../../../adapters/contract/abilities.ts";
import { capabilitiesIn, isEditingAdapter } from "../../../adapters/contract/abilities.ts";
import type { ChannelAdapter, Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { Outcome, Received } from "../../../core/contract/ports/bus.ts";
import { ack } from "../../../core/contract/ports/bus.ts";
import { isoTime } from "../../../core/contract/ports/clock.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import type { RelayContext } from "../context.ts";
import { callEdit } from "../sending/call-adapter.ts";
import { countPart, type PartOutcome, type SendPart } from "../sending/delivery-parts.ts";
import type { RequestHandler } from "../sending/outcomes.ts";
import { afterPartFailure, delivered } from "../sending/outcomes.ts";
import type { ActivityEntry, ActivityUpdate } from "./activity-entry.ts";
import {
  activityDelivery,
  activityUpdateIn,
  changeActivityEntry,
  newerUpdate,
  readActivityEntry,
} from "./activity-entry.ts";

interface ActivitySenderOptions {
  readonly post: SendPart;
  readonly maySend: () => boolean;
  /** The shortest time between two edits of a message in this conversation. */
  readonly editEveryMs: (target: Conversation) => number;
}

type Shown = NonNullable<ActivityEntry["shown"]>;

/** The platform shows the entry in an unknown state. */
const SOME_REVISION = -1;

/**
 * Shows an activity entry as one message that it edits in place, always to the newest state, so that an older state
 * never replaces it and intermediate ones are skipped (B1, D8). A platform without edits shows the first and the last
 * state. An entry that cannot be shown is dropped and never becomes a dead letter.
 */
export class ActivitySender {
  readonly #context: RelayContext;
  readonly #adapter: ChannelAdapter;
  readonly #editing: EditingAdapter | undefined;
  readonly #options: ActivitySenderOptions;

  constructor(context: RelayContext, adapter: ChannelAdapter, options: ActivitySenderOptions) {
    this.#context = context;
    this.#adapter = adapter;
    this.#editing = isEditingAdapter(adapter) ? adapter : undefined;
    this.#options = options;
  }

  async show(update: ActivityUpdate, target: Conversation, received: Received, logger: Logger): Promise<Outcome> {
    const { id } = update.activity;
    let entry = (await readActivityEntry(this.#context.store, id, target)) ?? {};
    for (let changed = false; ; changed = true) {
      const newest = newerUpdate(update, activityUpdateIn(entry.newest));
      if (!this.#isWorthShowing(newest, entry.shown)) {
        return changed ? delivered(this.#context, { id, reply: newest.reply, target }) : ack;
      }
      const waitMs = this.#waitMs(entry.shown, target);
      if (waitMs > 0) return { retryInMs: waitMs };
      const sent = await this.#send(newest, target, entry.shown, received);
      countPart(this.#context, this.#adapter.channel, sent);
      if (!("accepted" in sent))
        return dropped(afterPartFailure(this.#context, this.#adapter.channel, sent, received, logger), logger);
      const revision = sent.accepted === "now" ? newest.activity.revision : SOME_REVISION;
      entry = await this.#mark(id, target, { messageId: sent.messageId, revision });
    }
  }

  #isWorthShowing({ reply, activity }: ActivityUpdate, shown: Shown | undefined): boolean {
    if (shown === undefined) return true;
    if (this.#editing === undefined && reply.kind !== "completion") return false;
    return activity.revision > shown.revision;
  }

  #waitMs(shown: Shown | undefined, target: Conversation): number {
    if (shown === undefined || this.#editing === undefined) return 0;
    const editEveryMs = this.#options.editEveryMs(target);
    const sinceMs = this.#context.clock.now() - Date.parse(shown.at);
    // Shown in the future: another clock wrote it, or the clock was set back.
    return sinceMs < 0 ? 0 : editEveryMs - sinceMs;
  }

  async #send(
    update: ActivityUpdate,
    target: Conversation,
    shown: Shown | undefined,
    received: Received,
  ): Promise<PartOutcome> {
    const { id } = update.activity;
    const delivery = (as: string) => activityDelivery(this.#context, this.#adapter, update, target, as);
    if (shown === undefined) return this.#options.post(await delivery(id), received);
    if (this.#editing === undefined) return this.#options.post(await delivery(`${id}/completion`), received);
    return this.#edit(this.#editing, shown.messageId, await delivery(update.reply.id), received);
  }

  async #edit(
    adapter: EditingAdapter,
    messageId: string,
    delivery: Delivery,
    { attempt }: Received,
  ): Promise<PartOutcome> {
    if (!this.#options.maySend())
      return { again: new DeliveryFailed("unavailable", "another gateway has the channel") };
    const mayRepeat = delivery.mayRepeat || attempt > 1;
    const edited = await callEdit(this.#context, adapter, messageId, { ...delivery, mayRepeat });
    await this.#context.checkpoint("activity.edited");
    // An edit to the same state is idempotent, so it may be retried after an unknown outcome.
    return edited instanceof DeliveryFailed ? { again: edited } : { accepted: "now", messageId: edited.messageId };
  }

  /** Overwrites a newer state too: this process was slow and has just shown an old state, which the next edit corrects. */
  async #mark(id: string, target: Conversation, what: { messageId: string; revision: number }): Promise<ActivityEntry> {
    const shown = { ...what, at: isoTime(this.#context.clock.now()) };
    const entry = await changeActivityEntry(this.#context.store, id, target, (before) => ({ ...before, shown }));
    await this.#context.checkpoint("activity.marked");
    return entry;
  }
}

/** Handles the activity entries in a channel's queue. */
export const activityHandler = (
  context: RelayContext,
  adapter: ChannelAdapter,
  post: SendPart,
  maySend: () => boolean,
): RequestHandler<"activity"> => {
  const editEveryMs = (target: Conversation) => capabilitiesIn(adapter, target).editEveryMs ?? DEFAULT_EDIT_EVERY_MS;
  const sender = new ActivitySender(context, adapter, { post, maySend, editEveryMs });
  return {
    isForOneAudience: true,
    handle: async ({ reply, target }, received, logger) => {
      const update = activityUpdateIn(reply);
      return update === undefined ? ack : sender.show(update, target, received, logger);
    },
    afterError: (retry, logger) => dropped(retry(), logger),
    onDeadLetter: async () => undefined,
  };
};

/** For adapters that do not declare how often their platform allows an edit. */
const DEFAULT_EDIT_EVERY_MS = 1_000;

/** A dead letter would let people resend an old state by hand. */
const dropped = (outcome: Outcome, logger: Logger): Outcome => {
  if (!("deadLetter" in outcome)) return outcome;
  logger.warn({ reason: outcome.deadLetter }, "could not show activity entry, dropped");
  return ack;
};
