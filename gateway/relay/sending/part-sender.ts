import { isReconcilingAdapter } from "../../../adapters/contract/abilities.ts";
import type { ChannelAdapter, Delivery, Receipt } from "../../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import { messageOf } from "../../../core/contract/app-error.ts";
import type { Stored } from "../../../core/contract/ports/store.ts";
import type { LedgerEntry } from "../../../core/delivery/index.ts";
import { withinDeadline } from "../../../core/lib/index.ts";
import type { RelayContext } from "../context.ts";
import { callDeliver, callEdit } from "./call-adapter.ts";
import { isStreamDraft, type PartOutcome, type SendPart, sentDraft } from "./delivery-parts.ts";
import type { Begun, Claim, Ledger } from "./ledger.ts";
import { isRetryable } from "./outcomes.ts";

type UnsettledEntry = Extract<LedgerEntry, { state: "claimed" | "unknown" }>;

/** Sends one part at most once, as far as the platform reveals the outcome of an attempt (D4). */
export class PartSender {
  readonly #adapter: ChannelAdapter;
  readonly #ledger: Ledger;
  readonly #context: RelayContext;
  readonly #maySend: () => boolean;
  readonly #isStreamedHere: (delivery: Delivery) => boolean;

  /** `isStreamedHere`: whether this process posted the reply's draft, so that no other process edits it. */
  constructor(
    adapter: ChannelAdapter,
    ledger: Ledger,
    context: RelayContext,
    maySend: () => boolean,
    isStreamedHere: (delivery: Delivery) => boolean = () => false,
  ) {
    this.#adapter = adapter;
    this.#ledger = ledger;
    this.#context = context;
    this.#maySend = maySend;
    this.#isStreamedHere = isStreamedHere;
  }

  readonly send: SendPart = async (delivery, { attempt }) => {
    const known = await this.#ledger.claimNew(delivery, attempt);
    if ("delivery" in known) return this.#deliver(known);
    const { value: entry, revision } = known;
    if (entry.state === "accepted") return { accepted: "before", messageId: entry.messageId };
    if (entry.state === "withdrawn") return { withdrawn: true };
    if (entry.state === "failed") return this.#deliver(await this.#ledger.claim(delivery, attempt, revision));
    if (isStreamDraft(delivery)) return { withdrawn: true };
    if (entry.state === "begun") return this.#finish(delivery, attempt, { value: entry, revision });
    if (entry.beginning !== undefined) return this.#settleDraft(delivery, attempt, { value: entry, revision });
    return this.#settle(delivery, attempt, { value: entry, revision });
  };

  /** Edits the posted draft into the final part. */
  async #finish(delivery: Delivery, attempt: number, begun: Stored<Begun>): Promise<PartOutcome> {
    if (!this.#maySend()) return { again: notTheHolder() };
    const waitMs = this.#isStreamedHere(delivery) ? 0 : await this.#untouchedIn(delivery, begun);
    return waitMs > 0 ? { waitMs } : this.#editToWhole(delivery, attempt, begun);
  }

  /** The time until the process that posted the draft has certainly stopped editing it; it may be slow, not crashed. */
  async #untouchedIn(delivery: Delivery, begun: Stored<Begun>): Promise<number> {
    const { clock, limits } = this.#context;
    const { closedAt } = begun.value;
    const leftMs = closedAt === undefined ? Infinity : Date.parse(closedAt) + limits.settledAfterMs - clock.now();
    // Longer than the whole wait: the draft is not closed yet, or the clock was set back.
    if (leftMs <= limits.settledAfterMs) return leftMs;
    await this.#ledger.close(delivery, begun);
    return limits.settledAfterMs;
  }

  /** Posts the final part if the draft cannot be edited. */
  async #editToWhole(delivery: Delivery, attempt: number, { value, revision }: Stored<Begun>): Promise<PartOutcome> {
    const edited = await callEdit(this.#context, this.#adapter, value.messageId, delivery);
    await this.#context.checkpoint("stream.finished");
    if (!(edited instanceof DeliveryFailed)) return this.#accepted({ delivery, revision }, edited, "now");
    if (isRetryable(edited)) return { again: edited };
    return this.#deliver(await this.#ledger.claim(delivery, attempt, revision));
  }

  /** Finds out first whether the platform shows the draft. If it cannot tell, the final part is posted. */
  async #settleDraft(delivery: Delivery, attempt: number, entry: Stored<UnsettledEntry>): Promise<PartOutcome> {
    const { beginning = "", maybeSentAt } = entry.value;
    const settled = await this.#settle(sentDraft(delivery, beginning, maybeSentAt), attempt, entry);
    if (!("accepted" in settled || "dead" in settled)) return settled;
    const now = await this.#ledger.read(delivery);
    // No other process knew the message, so no other process edits it.
    if (now?.value.state === "begun") return this.#editToWhole(delivery, attempt, { ...now, value: now.value });
    return this.#deliver(await this.#ledger.claim(delivery, attempt, now?.revision ?? 0));
  }

  async #deliver(claim: Claim): Promise<PartOutcome> {
    await this.#context.checkpoint("delivery.claimed");
    if (!this.#maySend()) return this.#failed(claim, notTheHolder());
    if (this.#context.clock.monotonic() - claim.claimedAt > MAX_CLAIM_MS) return this.#failed(claim, suspended());
    const sent = await callDeliver(this.#context, this.#adapter, { ...claim.delivery, mayRepeat: claim.mayBeSent });
    if (sent instanceof DeliveryFailed) return this.#failed(claim, sent);
    return this.#accepted(claim, sent, claim.mayBeSent ? "settled" : "now");
  }

  async #accepted(
    part: Pick<Claim, "delivery" | "revision">,
    receipt: Receipt,
    accepted: "now" | "settled",
  ): Promise<PartOutcome> {
    await this.#context.checkpoint("delivery.sent");
    if (isStreamDraft(part.delivery)) await this.#ledger.begin(part, receipt);
    else await this.#ledger.accept(part.delivery, receipt);
    await this.#context.checkpoint("delivery.marked");
    return { accepted, messageId: receipt.messageId };
  }

  async #failed(claim: Claim, failure: DeliveryFailed): Promise<PartOutcome> {
    const certain = failure.reason !== "unknown" && !claim.mayBeSent;
    if (certain) await this.#ledger.fail(claim, failure.reason);
    else await this.#ledger.markUnknown(claim, failure.message);
    switch (failure.reason) {
      case "rate-limited":
      case "unavailable":
        return { again: failure };
      case "unknown":
        return this.#canSettle ? { again: failure } : { dead: failure };
      // Only an adapter whose rooms move may fail with "moved", and `followMoves` handles that.
      case "moved":
      case "target-gone":
      case "forbidden":
      case "rejected":
        return { dead: failure };
    }
  }

  get #canSettle(): boolean {
    return this.#adapter.capabilities.resend !== "repeats" || isReconcilingAdapter(this.#adapter);
  }

  /** Resolves a part whose earlier attempt may have reached the platform. */
  async #settle(
    delivery: Delivery,
    attempt: number,
    { value: entry, revision }: Stored<UnsettledEntry>,
  ): Promise<PartOutcome> {
    const { clock, limits } = this.#context;
    const { resend } = this.#adapter.capabilities;
    // Clocks of gateways differ a little, and a clock may have been set back.
    const sinceMs = Math.abs(clock.now() - Date.parse(entry.maybeSentAt));
    const claimAgain = (maybeSentAt?: string) => this.#ledger.claim(delivery, attempt, revision, maybeSentAt);
    if (resend === "idempotent" && sinceMs < limits.recognisedForMs) {
      return this.#deliver(await claimAgain(entry.maybeSentAt));
    }
    if (!isReconcilingAdapter(this.#adapter))
      return this.#unsettled(delivery, revision, entry, "an attempt was cut off");
    const waitMs = Date.parse(entry.at) + limits.settledAfterMs - clock.now();
    if (waitMs > limits.settledAfterMs) return this.#restartWait(delivery, revision, entry);
    if (waitMs > 0) return { waitMs };
    const found = await this.#find(delivery);
    if (found instanceof DeliveryFailed) return { again: found };
    if (found === "absent") return this.#deliver(await claimAgain());
    if (found === "unknown") {
      return this.#unsettled(delivery, revision, entry, "the platform does not report the outcome of an attempt");
    }
    return this.#accepted({ delivery, revision }, found, "settled");
  }

  /** The clock was set back since the attempt, so the wait restarts. */
  async #restartWait(delivery: Delivery, revision: number, { maybeSentAt }: UnsettledEntry): Promise<PartOutcome> {
    await this.#ledger.markUnknown({ delivery, revision, maybeSentAt, mayBeSent: true }, "an attempt was cut off");
    return { waitMs: this.#context.limits.settledAfterMs };
  }

  async #find(delivery: Delivery): Promise<Receipt | "absent" | "unknown" | DeliveryFailed> {
    const { clock, limits } = this.#context;
    if (!isReconcilingAdapter(this.#adapter)) return "unknown";
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

  async #unsettled(delivery: Delivery, revision: number, entry: UnsettledEntry, why: string): Promise<PartOutcome> {
    if (entry.state === "claimed") {
      await this.#ledger.markUnknown({ delivery, revision, maybeSentAt: entry.maybeSentAt, mayBeSent: true }, why);
    }
    return { dead: new DeliveryFailed("unknown", why) };
  }
}

/** Less than `settledAfterMs`: after that another gateway may have asked the platform and sent the part itself. */
const MAX_CLAIM_MS = 4_000;

const suspended = () => new DeliveryFailed("unavailable", "this gateway was suspended before it sent the message");
const notTheHolder = () => new DeliveryFailed("unavailable", "this gateway no longer holds the channel");
