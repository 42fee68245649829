import type { EditingAdapter } from "../../adapters/contract/abilities.ts";
import { isEditingAdapter } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter, Delivery } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import type { Outcome, Received } from "../../core/contract/bus.ts";
import { ack } from "../../core/contract/bus.ts";
import { isoTime } from "../../core/contract/clock.ts";
import type { Conversation } from "../../core/contract/conversation.ts";
import type { Logger } from "../../core/contract/logger.ts";
import { activityDelivery } from "./activity-delivery.ts";
import type { ActivityEntry } from "./activity-entry.ts";
import { changeActivityEntry, readActivityEntry } from "./activity-entry.ts";
import type { ActivityUpdate } from "./activity-update.ts";
import { activityUpdateIn, newerUpdate } from "./activity-update.ts";
import { afterTrouble } from "./after-failure.ts";
import { callEdit } from "./call-adapter.ts";
import { countPart } from "./count-part.ts";
import { delivered } from "./delivered.ts";
import type { PartOutcome } from "./part-sender.ts";
import type { RelayContext } from "./relay-context.ts";

export interface ActivityMeans {
  /** Posts the entry, once for its delivery's id. */
  post(delivery: Delivery, received: Received): Promise<PartOutcome>;
  maySend(): boolean;
  /** The shortest time between two edits. */
  readonly editEveryMs: number;
}

type Shown = NonNullable<ActivityEntry["shown"]>;

/** The platform has the entry, in a state that is not known. */
const SOME_REVISION = -1;

/**
 * Shows an activity entry: one message, edited in place, and always to the newest state, so that an older one never
 * replaces it and what waits is skipped (B1, D8). Without edits people see the first state and the last one. It is
 * not an answer: what cannot be shown is dropped, and never a dead letter.
 */
export class ActivitySender {
  readonly #context: RelayContext;
  readonly #adapter: ChannelAdapter;
  readonly #editing: EditingAdapter | undefined;
  readonly #means: ActivityMeans;

  constructor(context: RelayContext, adapter: ChannelAdapter, means: ActivityMeans) {
    this.#context = context;
    this.#adapter = adapter;
    this.#editing = isEditingAdapter(adapter) ? adapter : undefined;
    this.#means = means;
  }

  async show(update: ActivityUpdate, target: Conversation, received: Received, logger: Logger): Promise<Outcome> {
    const { id } = update.activity;
    let entry = (await readActivityEntry(this.#context.store, id, target)) ?? {};
    for (let changed = false; ; changed = true) {
      const newest = newerUpdate(update, activityUpdateIn(entry.newest));
      if (!this.#isWorthShowing(newest, entry.shown)) {
        return changed ? delivered(this.#context, { id, reply: newest.reply, target }) : ack;
      }
      const waitMs = this.#waitMs(entry.shown);
      if (waitMs > 0) return { retryInMs: waitMs };
      const sent = await this.#send(newest, target, entry.shown, received);
      countPart(this.#context, this.#adapter.channel, sent);
      if (!("accepted" in sent))
        return dropped(afterTrouble(this.#context, this.#adapter.channel, sent, received, logger), logger);
      const revision = sent.accepted === "now" ? newest.activity.revision : SOME_REVISION;
      entry = await this.#mark(id, target, { messageId: sent.messageId, revision });
    }
  }

  #isWorthShowing({ reply, activity }: ActivityUpdate, shown: Shown | undefined): boolean {
    if (shown === undefined) return true;
    if (this.#editing === undefined && reply.kind !== "completion") return false;
    return activity.revision > shown.revision;
  }

  #waitMs(shown: Shown | undefined): number {
    if (shown === undefined || this.#editing === undefined) return 0;
    const { editEveryMs } = this.#means;
    const sinceMs = this.#context.clock.now() - Date.parse(shown.at);
    // Shown in the future: the clock that wrote it was another one, or was set back since.
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
    if (shown === undefined) return this.#means.post(await delivery(id), received);
    if (this.#editing === undefined) return this.#means.post(await delivery(`${id}/completion`), received);
    return this.#edit(this.#editing, shown.messageId, await delivery(update.reply.id), received);
  }

  async #edit(
    adapter: EditingAdapter,
    messageId: string,
    delivery: Delivery,
    { attempt }: Received,
  ): Promise<PartOutcome> {
    if (!this.#means.maySend()) return { again: new DeliveryFailed("unavailable", "another gateway has the channel") };
    const mayRepeat = delivery.mayRepeat || attempt > 1;
    const edited = await callEdit(this.#context, adapter, messageId, { ...delivery, mayRepeat });
    await this.#context.checkpoint("activity.edited");
    // A second edit with the same state changes nothing, so it may be tried again whatever became of the first.
    return edited instanceof DeliveryFailed ? { again: edited } : { accepted: "now", messageId: edited.messageId };
  }

  /** Over a newer state too: then this process was slow and has just shown an old one, which is put right next. */
  async #mark(id: string, target: Conversation, what: { messageId: string; revision: number }): Promise<ActivityEntry> {
    const shown = { ...what, at: isoTime(this.#context.clock.now()) };
    const entry = await changeActivityEntry(this.#context.store, id, target, (before) => ({ ...before, shown }));
    await this.#context.checkpoint("activity.marked");
    return entry;
  }
}

/** Nobody is to send an old state of it again by hand. */
export const dropped = (outcome: Outcome, logger: Logger): Outcome => {
  if (!("deadLetter" in outcome)) return outcome;
  logger.warn({ reason: outcome.deadLetter }, "an activity entry could not be shown as it is now");
  return ack;
};
