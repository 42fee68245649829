import { isReconcilingAdapter } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter, Delivery, Receipt } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Received } from "../../core/contract/bus.ts";
import type { Stored } from "../../core/contract/store.ts";
import type { LedgerEntry } from "../../core/delivery/ledger-entry.ts";
import { callDeliver } from "./call-adapter.ts";
import type { Claim, Ledger } from "./ledger.ts";
import type { RelayContext } from "./relay-context.ts";
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

  constructor(adapter: ChannelAdapter, ledger: Ledger, context: RelayContext, maySend: () => boolean) {
    this.#adapter = adapter;
    this.#ledger = ledger;
    this.#context = context;
    this.#maySend = maySend;
  }

  async send(delivery: Delivery, { attempt }: Received): Promise<PartOutcome> {
    const known = await this.#ledger.claimNew(delivery, attempt);
    if ("delivery" in known) return this.#deliver(known);
    const { value: entry, revision } = known;
    if (entry.state === "accepted") return { accepted: "before", messageId: entry.messageId };
    if (entry.state === "withdrawn") return { withdrawn: true };
    if (entry.state === "failed") return this.#deliver(await this.#ledger.claim(delivery, attempt, revision));
    return this.#settle(delivery, attempt, { value: entry, revision });
  }

  async #deliver(claim: Claim): Promise<PartOutcome> {
    await this.#context.checkpoint("delivery.claimed");
    if (!this.#maySend()) return this.#failed(claim, notTheHolder());
    const sent = await callDeliver(this.#context, this.#adapter, { ...claim.delivery, mayRepeat: claim.inDoubt });
    if (sent instanceof DeliveryFailed) return this.#failed(claim, sent);
    return this.#accepted(claim.delivery, sent, claim.inDoubt ? "settled" : "now");
  }

  async #accepted(delivery: Delivery, receipt: Receipt, accepted: "now" | "settled"): Promise<PartOutcome> {
    await this.#context.checkpoint("delivery.sent");
    await this.#ledger.accept(delivery, receipt);
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
    const sinceMs = clock.now() - Date.parse(entry.maybeSentAt);
    const claimAgain = (maybeSentAt?: string) => this.#ledger.claim(delivery, attempt, revision, maybeSentAt);
    if (resend === "idempotent" && sinceMs < limits.recognisedForMs) {
      return this.#deliver(await claimAgain(entry.maybeSentAt));
    }
    if (!isReconcilingAdapter(this.#adapter))
      return this.#unsettled(delivery, revision, entry, "an attempt was cut off");
    const waitMs = Date.parse(entry.at) + limits.settledAfterMs - clock.now();
    if (waitMs > 0) return { waitMs: Math.min(waitMs, limits.settledAfterMs) };
    const found = await this.#find(delivery);
    if (found instanceof DeliveryFailed) return { again: found };
    if (found === "absent") return this.#deliver(await claimAgain());
    if (found === "cannot-tell") {
      return this.#unsettled(delivery, revision, entry, "the platform cannot tell what became of an attempt");
    }
    return this.#accepted(delivery, found, "settled");
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
