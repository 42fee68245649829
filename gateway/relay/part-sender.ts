import { isReconcilingAdapter } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter, Delivery, Receipt } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Received } from "../../core/contract/bus.ts";
import type { Stored } from "../../core/contract/store.ts";
import type { LedgerEntry } from "../../core/delivery/index.ts";
import { mayTryAgain } from "./after-failure.ts";
import { callDeliver, callEdit } from "./call-adapter.ts";
import type { Begun, Claim, Ledger } from "./ledger.ts";
import type { RelayContext } from "./relay-context.ts";
import { isBeginning, sentBeginning } from "./stream-draft.ts";
import { withinDeadline } from "./within-deadline.ts";

export type PartOutcome =
  /** The platform has it, since now or before. settled: from this attempt or an earlier one. */
  | { readonly accepted: "now" | "before" | "settled"; readonly messageId: string }
  | { readonly again: DeliveryFailed }
  | { readonly waitMs: number }
  /** It goes another way. */
  | { readonly withdrawn: true }
  | { readonly dead: DeliveryFailed };

type InDoubt = Extract<LedgerEntry, { state: "claimed" | "unknown" }>;

/** Sends one part at most once, as far as the platform lets us know what became of an attempt (D4). */
export class PartSender {
  readonly #adapter: ChannelAdapter;
  readonly #ledger: Ledger;
  readonly #context: RelayContext;
  readonly #maySend: () => boolean;
  readonly #isOurs: (delivery: Delivery) => boolean;

  /** `isOurs` tells whether this process alone edits the message that begins a reply. */
  constructor(
    adapter: ChannelAdapter,
    ledger: Ledger,
    context: RelayContext,
    maySend: () => boolean,
    isOurs: (delivery: Delivery) => boolean = () => false,
  ) {
    this.#adapter = adapter;
    this.#ledger = ledger;
    this.#context = context;
    this.#maySend = maySend;
    this.#isOurs = isOurs;
  }

  async send(delivery: Delivery, { attempt }: Received): Promise<PartOutcome> {
    const known = await this.#ledger.claimNew(delivery, attempt);
    if ("delivery" in known) return this.#deliver(known);
    const { value: entry, revision } = known;
    if (entry.state === "accepted") return { accepted: "before", messageId: entry.messageId };
    if (entry.state === "withdrawn") return { withdrawn: true };
    if (entry.state === "failed") return this.#deliver(await this.#ledger.claim(delivery, attempt, revision));
    if (isBeginning(delivery)) return { withdrawn: true };
    if (entry.state === "begun") return this.#finish(delivery, attempt, { value: entry, revision });
    if (entry.beginning !== undefined) return this.#settleBeginning(delivery, attempt, { value: entry, revision });
    return this.#settle(delivery, attempt, { value: entry, revision });
  }

  /** The message that shows how it begins becomes the whole. */
  async #finish(delivery: Delivery, attempt: number, begun: Stored<Begun>): Promise<PartOutcome> {
    if (!this.#maySend()) return { again: notTheHolder() };
    const waitMs = this.#isOurs(delivery) ? 0 : await this.#untouchedIn(delivery, begun);
    return waitMs > 0 ? { waitMs } : this.#editToWhole(delivery, attempt, begun);
  }

  /** How long until nobody else edits the message any more: whoever began it may be slow, and not dead. */
  async #untouchedIn(delivery: Delivery, begun: Stored<Begun>): Promise<number> {
    const { clock, limits } = this.#context;
    const { closedAt } = begun.value;
    const leftMs = closedAt === undefined ? Infinity : Date.parse(closedAt) + limits.settledAfterMs - clock.now();
    // More than a whole wait: it is yet to begin, or the clock was set back.
    if (leftMs <= limits.settledAfterMs) return leftMs;
    await this.#ledger.close(delivery, begun);
    return limits.settledAfterMs;
  }

  /** If the message cannot be edited, the whole is posted. */
  async #editToWhole(delivery: Delivery, attempt: number, { value, revision }: Stored<Begun>): Promise<PartOutcome> {
    const edited = await callEdit(this.#context, this.#adapter, value.messageId, delivery);
    await this.#context.checkpoint("stream.finished");
    if (!(edited instanceof DeliveryFailed)) return this.#accepted({ delivery, revision }, edited, "now");
    if (mayTryAgain(edited)) return { again: edited };
    return this.#deliver(await this.#ledger.claim(delivery, attempt, revision));
  }

  /** Whether the platform shows how it begins is found out first. Where that cannot be told, the whole is posted all the same. */
  async #settleBeginning(delivery: Delivery, attempt: number, entry: Stored<InDoubt>): Promise<PartOutcome> {
    const { beginning = "", maybeSentAt } = entry.value;
    const settled = await this.#settle(sentBeginning(delivery, beginning, maybeSentAt), attempt, entry);
    if (!("accepted" in settled || "dead" in settled)) return settled;
    const now = await this.#ledger.read(delivery);
    // Nobody else has known the message, so nobody else edits it.
    if (now?.value.state === "begun") return this.#editToWhole(delivery, attempt, { ...now, value: now.value });
    return this.#deliver(await this.#ledger.claim(delivery, attempt, now?.revision ?? 0));
  }

  async #deliver(claim: Claim): Promise<PartOutcome> {
    await this.#context.checkpoint("delivery.claimed");
    if (!this.#maySend()) return this.#failed(claim, notTheHolder());
    const sent = await callDeliver(this.#context, this.#adapter, { ...claim.delivery, mayRepeat: claim.inDoubt });
    if (sent instanceof DeliveryFailed) return this.#failed(claim, sent);
    return this.#accepted(claim, sent, claim.inDoubt ? "settled" : "now");
  }

  async #accepted(
    part: Pick<Claim, "delivery" | "revision">,
    receipt: Receipt,
    accepted: "now" | "settled",
  ): Promise<PartOutcome> {
    await this.#context.checkpoint("delivery.sent");
    if (isBeginning(part.delivery)) await this.#ledger.begin(part, receipt);
    else await this.#ledger.accept(part.delivery, receipt);
    await this.#context.checkpoint("delivery.marked");
    return { accepted, messageId: receipt.messageId };
  }

  async #failed(claim: Claim, failure: DeliveryFailed): Promise<PartOutcome> {
    const certain = failure.reason !== "unknown" && !claim.inDoubt;
    if (certain) await this.#ledger.fail(claim, failure.reason);
    else await this.#ledger.doubt(claim, failure.message);
    switch (failure.reason) {
      case "rate-limited":
      case "unavailable":
        return { again: failure };
      case "unknown":
        return this.#canSettle ? { again: failure } : { dead: failure };
      case "target-gone":
      case "forbidden":
      case "rejected":
        return { dead: failure };
    }
  }

  get #canSettle(): boolean {
    return this.#adapter.capabilities.resend !== "repeats" || isReconcilingAdapter(this.#adapter);
  }

  /** An earlier attempt may have reached the platform. */
  async #settle(
    delivery: Delivery,
    attempt: number,
    { value: entry, revision }: Stored<InDoubt>,
  ): Promise<PartOutcome> {
    const { clock, limits } = this.#context;
    const { resend } = this.#adapter.capabilities;
    // Clocks differ a little. One that was set back tells nothing.
    const sinceMs = Math.abs(clock.now() - Date.parse(entry.maybeSentAt));
    const claimAgain = (maybeSentAt?: string) => this.#ledger.claim(delivery, attempt, revision, maybeSentAt);
    if (resend === "idempotent" && sinceMs < limits.recognisedForMs) {
      return this.#deliver(await claimAgain(entry.maybeSentAt));
    }
    if (!isReconcilingAdapter(this.#adapter))
      return this.#unsettled(delivery, revision, entry, "an attempt was cut off");
    const waitMs = Date.parse(entry.at) + limits.settledAfterMs - clock.now();
    if (waitMs > limits.settledAfterMs) return this.#waitAnew(delivery, revision, entry);
    if (waitMs > 0) return { waitMs };
    const found = await this.#find(delivery);
    if (found instanceof DeliveryFailed) return { again: found };
    if (found === "absent") return this.#deliver(await claimAgain());
    if (found === "cannot-tell") {
      return this.#unsettled(delivery, revision, entry, "the platform cannot tell what became of an attempt");
    }
    return this.#accepted({ delivery, revision }, found, "settled");
  }

  /** The clock was set back since: how long ago the attempt was is counted from now on. */
  async #waitAnew(delivery: Delivery, revision: number, { maybeSentAt }: InDoubt): Promise<PartOutcome> {
    await this.#ledger.doubt({ delivery, revision, maybeSentAt, inDoubt: true }, "an attempt was cut off");
    return { waitMs: this.#context.limits.settledAfterMs };
  }

  async #find(delivery: Delivery): Promise<Receipt | "absent" | "cannot-tell" | DeliveryFailed> {
    const { clock, limits } = this.#context;
    if (!isReconcilingAdapter(this.#adapter)) return "cannot-tell";
    const late = () => new DeliveryFailed("unavailable", "the platform does not say whether it has the message");
    try {
      const asked = this.#adapter.find(delivery);
      return await withinDeadline<Awaited<typeof asked> | DeliveryFailed>(clock, limits.deliverWithinMs, asked, late);
    } catch (error) {
      return error instanceof DeliveryFailed
        ? error
        : new DeliveryFailed("unavailable", messageOf(error), { cause: error });
    }
  }

  async #unsettled(delivery: Delivery, revision: number, entry: InDoubt, why: string): Promise<PartOutcome> {
    if (entry.state === "claimed") {
      await this.#ledger.doubt({ delivery, revision, maybeSentAt: entry.maybeSentAt, inDoubt: true }, why);
    }
    return { dead: new DeliveryFailed("unknown", why) };
  }
}

const notTheHolder = () => new DeliveryFailed("unavailable", "this gateway no longer holds the channel");
