import type { ChannelAdapter } from "../../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { ReplyRequest, RequestOf } from "../../../core/contract/messages/delivery-request.ts";
import type { Outcome, Received } from "../../../core/contract/ports/bus.ts";
import { ack } from "../../../core/contract/ports/bus.ts";
import type { Digest, HeldItem, HeldRecord } from "../../../core/delivery/undelivered/index.ts";
import { changeHeld, heldRequestKey, readHeld } from "../../../core/delivery/undelivered/index.ts";
import type { RelayContext } from "../context.ts";
import { isPartFailure, partsOf, sendParts } from "../sending/delivery-parts.ts";
import type { Ledger } from "../sending/ledger.ts";
import type { RequestHandler } from "../sending/outcomes.ts";
import { deadLetterRequest, delivered, isRetryable, retryPause, withheld } from "../sending/outcomes.ts";
import type { PartSender } from "../sending/part-sender.ts";
import { recordPosted } from "../sending/record-posted.ts";
import { reroute } from "../sending/reroute.ts";
import { digestParts, fitting, partsOfDigest } from "./compose-digest.ts";
import { sortItems } from "./hold.ts";
import type { Begun } from "./shown-states.ts";
import { isShown, isSome, messageIdOf, recordMessages, shownStatesOf } from "./shown-states.ts";
import { setWakeUp, wakeUpLater, withWakeUp } from "./wake-up.ts";

/**
 * Sends the held messages of a conversation as one digest, in order with its other deliveries. A digest whose first part
 * may be on the platform is completed unchanged, unless an item has lost its audience; any other digest is recomposed at
 * each attempt, so that it contains every due item.
 */
export class DigestSender implements RequestHandler<"digest"> {
  /** Each item has an audience of its own. */
  readonly isForOneAudience = false;
  readonly #context: RelayContext;
  readonly #adapter: ChannelAdapter;
  readonly #sender: PartSender;
  readonly #ledger: Ledger;

  constructor(context: RelayContext, adapter: ChannelAdapter, sender: PartSender, ledger: Ledger) {
    this.#context = context;
    this.#adapter = adapter;
    this.#sender = sender;
    this.#ledger = ledger;
  }

  afterError(retry: () => Outcome): Outcome {
    return retry();
  }

  onDeadLetter({ target }: RequestOf<"digest">): Promise<void> {
    return wakeUpLater(this.#context, target);
  }

  async handle({ target }: RequestOf<"digest">, received: Received): Promise<Outcome> {
    const record = await readHeld(this.#context.store, target);
    const open = await this.#resume(target, record);
    const lost = open === undefined ? [] : await this.#withoutAudience(target, open);
    if (open && lost.length > 0) return this.#interrupt(target, open, lost);
    const begun = open ?? (await this.#begin(target, record));
    if (begun === undefined) return this.#rest(target);
    const sent = await sendParts(this.#context, this.#sender.send, begun.parts, received);
    await this.#context.checkpoint("digest.tried");
    if (!isPartFailure(sent)) return this.#accepted(target, begun, sent);
    if ("waitMs" in sent) return { retryInMs: sent.waitMs };
    if ("withdrawn" in sent) throw ownedByAnother();
    const failure = "dead" in sent ? sent.dead : sent.again;
    if ("dead" in sent || !isRetryable(failure)) return this.#interrupt(target, begun, [], failure);
    return this.#tryLater(target, begun, failure);
  }

  /** The stored digest, if the platform may have a part of it. */
  async #resume(target: Conversation, { digest }: HeldRecord): Promise<Begun | undefined> {
    if (digest === undefined) return undefined;
    const loaded = await Promise.all(digest.itemIds.map((id) => this.#request(target, id)));
    const requests = loaded.filter((request) => request !== undefined);
    if (!isSome(requests)) return undefined;
    const parts = await partsOfDigest(this.#context, this.#adapter, target, digest, requests);
    const [first] = parts;
    return first && (await this.#ledger.withdraw(first)) ? undefined : { digest, requests, parts };
  }

  /** Items whose target has left the audience: the rest of the digest could show them. */
  async #withoutAudience(target: Conversation, { requests }: Begun): Promise<readonly ReplyRequest[]> {
    const still = await Promise.all(requests.map(({ reply }) => this.#context.isStillTarget(reply, target)));
    return requests.filter((_, index) => !still[index]);
  }

  async #begin(target: Conversation, before: HeldRecord): Promise<Begun | undefined> {
    const { store, clock } = this.#context;
    const now = clock.now();
    const ripe = before.items.filter(({ notBefore }) => notBefore <= now);
    const { due, later, lost } = await sortItems(this.#context, target, ripe);
    for (const { request } of lost) if (request) await withheld(this.#context, request);
    const requests = fitting(due);
    const number = before.digests + 1;
    const digest: Digest = {
      number,
      itemIds: requests.map(({ id }) => id),
      parts: await digestParts(this.#context, this.#adapter, requests),
    };
    const lostIds = new Set(lost.map(({ id }) => id));
    await changeHeld(store, target, (record) => {
      if (record.digests !== before.digests) throw ownedByAnother();
      const items = record.items
        .filter(({ id }) => !lostIds.has(id))
        .map((item) => ({ ...item, notBefore: later.get(item.id) ?? item.notBefore }));
      const { digest: _, ...rest } = record;
      return isSome(requests) ? { ...rest, items, digest, digests: number } : { ...rest, items };
    });
    await this.#forget(target, [...lostIds]);
    await this.#context.checkpoint("digest.begun");
    if (!isSome(requests)) return undefined;
    return {
      digest,
      requests,
      parts: await partsOfDigest(this.#context, this.#adapter, target, digest, requests),
    };
  }

  async #accepted(target: Conversation, begun: Begun, messageIds: readonly string[]): Promise<Outcome> {
    await recordMessages(this.#context, target, begun, messageIds);
    for (const request of begun.requests) await this.#shown(request, messageIds.at(-1) ?? "");
    await this.#context.checkpoint("digest.marked");
    return this.#remove(target, begun.requests);
  }

  async #shown(request: ReplyRequest, messageId: string): Promise<void> {
    for (const part of await partsOf(this.#context, this.#adapter, request)) {
      await this.#ledger.accept(part, { messageId });
    }
    await recordPosted(this.#context, request, []);
    delivered(this.#context, request);
  }

  /**
   * Ends a digest that has lost an audience or cannot be sent. Items shown completely count as delivered; items that may
   * be shown in part become dead letters with an unknown outcome, for people to decide (D4); unseen items wait for the
   * next digest, or become dead letters with the reason.
   */
  async #interrupt(
    target: Conversation,
    begun: Begun,
    lost: readonly ReplyRequest[],
    failure?: DeliveryFailed,
  ): Promise<Outcome> {
    const states = await shownStatesOf(this.#context, this.#ledger, begun);
    await recordMessages(this.#context, target, begun, states.parts.map(messageIdOf));
    const why = failure ? `${failure.message}; it was part of a digest` : "its digest was not sent to its end";
    const remaining = new Set<string>();
    for (const request of begun.requests) {
      const state = states.items.get(request.id);
      if (lost.includes(request)) await withheld(this.#context, request);
      else if (isShown(state)) await this.#shown(request, state.shown);
      else if (state === "unknown") await this.#deadLetter(target, request, new DeliveryFailed("unknown", why));
      else if (failure !== undefined && failure.reason !== "unknown") await this.#deadLetter(target, request, failure);
      else remaining.add(request.id);
    }
    await this.#context.checkpoint("digest.settled");
    return this.#remove(
      target,
      begun.requests.filter(({ id }) => !remaining.has(id)),
    );
  }

  async #deadLetter(target: Conversation, request: ReplyRequest, failure: DeliveryFailed): Promise<void> {
    for (const part of await partsOf(this.#context, this.#adapter, request)) {
      if (failure.reason === "unknown") await this.#ledger.markWithdrawnUnknown(part, failure.message);
      else if (part.part.index === 0) await this.#ledger.release(part, failure.reason);
    }
    if (await reroute(this.#context, this.#adapter, request, failure)) return;
    const { items } = await readHeld(this.#context.store, target);
    const heldAt = items.find(({ id }) => id === request.id)?.heldAt ?? request.reply.createdAt;
    await deadLetterRequest(this.#context, this.#adapter.channel, request, failure, heldAt);
  }

  async #tryLater(target: Conversation, begun: Begun, failure: DeliveryFailed): Promise<Outcome> {
    const { store, clock, limits, meter, random } = this.#context;
    const now = clock.now();
    const [first] = begun.parts;
    const { reason, retryAfterMs } = failure;
    const record = await readHeld(store, target);
    const attempt = record.attempts + 1;
    const ageMs = now - since(record.items, begun.digest);
    const pauseMs = retryPause(limits.retry, { attempt, ageMs, retryAfterMs, random: random() });
    if (pauseMs === undefined) return this.#interrupt(target, begun, [], failure);
    meter.count("delivery_retries_total", { channel: target.channel, reason });
    const isUnseen = first !== undefined && (await this.#ledger.withdraw(first));
    const changed = await changeHeld(store, target, (before) => ({
      ...(isUnseen ? withWakeUp(before, now + pauseMs, now) : before),
      attempts: attempt,
    }));
    // A digest that people may see in part is completed before any other delivery to the conversation.
    if (!isUnseen) {
      await recordMessages(this.#context, target, begun, await this.#acceptedSoFar(begun));
      return { retryInMs: pauseMs };
    }
    await setWakeUp(this.#context, target, changed);
    return ack;
  }

  #acceptedSoFar({ parts }: Begun): Promise<readonly (string | undefined)[]> {
    const read = parts.map(async (part) => {
      const entry = (await this.#ledger.read(part))?.value;
      return entry?.state === "accepted" ? entry.messageId : undefined;
    });
    return Promise.all(read);
  }

  async #remove(target: Conversation, requests: readonly ReplyRequest[]): Promise<Outcome> {
    const ids = new Set(requests.map(({ id }) => id));
    await changeHeld(this.#context.store, target, ({ digest: _, ...record }) => ({
      ...record,
      items: record.items.filter(({ id }) => !ids.has(id)),
      attempts: 0,
    }));
    await this.#forget(target, [...ids]);
    return this.#rest(target);
  }

  /** Makes sure that the remaining held items have a wake-up. */
  async #rest(target: Conversation): Promise<Outcome> {
    const now = this.#context.clock.now();
    const record = await changeHeld(this.#context.store, target, (before) => {
      if (before.items.length === 0) return before;
      const next = Math.min(...before.items.map(({ notBefore }) => notBefore));
      return withWakeUp(before, Math.max(next, now), now);
    });
    if (record.items.length > 0) await setWakeUp(this.#context, target, record);
    return ack;
  }

  async #request(target: Conversation, id: string): Promise<ReplyRequest | undefined> {
    return (await this.#context.store.get(heldRequestKey(target, id)))?.value;
  }

  async #forget(target: Conversation, ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#context.store.delete(heldRequestKey(target, id));
  }
}

const ownedByAnother = () => new AppError("conflict", "another gateway makes this digest");

/** The earliest time at which one of the items could have been sent. */
const since = (items: readonly HeldItem[], { itemIds }: Digest): number =>
  Math.min(
    ...items
      .filter(({ id }) => itemIds.includes(id))
      .map(({ heldAt, notBefore }) => Math.max(Date.parse(heldAt), notBefore)),
  );
