import { isEditingAdapter } from "../../../adapters/contract/abilities.ts";
import type { ChannelAdapter, Delivery, Receipt } from "../../../adapters/contract/channel-adapter.ts";
import type { DeliveryFailure } from "../../../adapters/contract/delivery-failed.ts";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import { RenderFailed } from "../../../adapters/contract/render-delivery.ts";
import { messageOf } from "../../../core/contract/app-error.ts";
import { withinDeadline } from "../../../core/lib/index.ts";
import { deliverySpan } from "../../telemetry/index.ts";
import type { RelayContext } from "../context.ts";
import { isStreamDraft } from "./delivery-parts.ts";

type Deps = Pick<RelayContext, "clock" | "logger" | "limits" | "meter" | "tracer" | "deliveryHealth">;
type Call = (delivery: Delivery) => Promise<Receipt>;

/** The adapter threw another error than DeliveryFailed, so the platform may have the message. */
export class AdapterBug extends DeliveryFailed {
  constructor(cause: unknown) {
    super("unknown", `the adapter failed unexpectedly: ${messageOf(cause)}`, { cause });
  }
}

/** Calls an adapter that may break its contract: the result is a receipt or a DeliveryFailed, within the deadline. */
const callAdapter = async (
  deps: Deps,
  adapter: ChannelAdapter,
  delivery: Delivery,
  call: Call,
): Promise<Receipt | DeliveryFailed> => {
  const { clock, tracer, deliveryHealth } = deps;
  const startedAt = clock.now();
  const sent = await renderedOrPlain(deps, adapter, delivery, call);
  deliveryHealth?.note(sent);
  // The trace of a streamed draft is not known yet.
  if (tracer === undefined || isStreamDraft(delivery)) return sent;
  tracer.record(deliverySpan(delivery, sent, { startedAt, endedAt: clock.now() }));
  return sent;
};

/** A reply that could not be rendered was not sent, so its plain text is sent at once (F37). */
const renderedOrPlain = async (
  deps: Deps,
  adapter: ChannelAdapter,
  delivery: Delivery,
  call: Call,
): Promise<Receipt | DeliveryFailed> => {
  const sent = await attempt(deps, adapter, delivery, call);
  if (!(sent instanceof RenderFailed) || delivery.plain) return sent;
  const { channel } = adapter;
  // Each edit of a streamed draft would log another line.
  if (!isStreamDraft(delivery)) {
    deps.logger.warn(
      { channel, delivery: delivery.id, error: sent.message },
      "reply could not be rendered, sent as plain text",
    );
    deps.meter.count("deliveries_plain_total", { channel });
  }
  return attempt(deps, adapter, { ...delivery, plain: true }, call);
};

const REASONS: Readonly<Record<DeliveryFailure, true>> = {
  "rate-limited": true,
  unavailable: true,
  unknown: true,
  moved: true,
  "target-gone": true,
  forbidden: true,
  rejected: true,
};

const attempt = async (
  { clock, logger, limits }: Deps,
  { channel }: ChannelAdapter,
  delivery: Delivery,
  call: Call,
): Promise<Receipt | DeliveryFailed> => {
  try {
    const sent = await withinDeadline<Receipt | DeliveryFailed>(
      clock,
      limits.deliverWithinMs,
      // Inside an async function, so that a synchronous throw becomes a rejection.
      (async () => call(delivery))(),
      () => new DeliveryFailed("unknown", `no answer within ${limits.deliverWithinMs} ms`),
    );
    if (sent instanceof DeliveryFailed || typeof sent?.messageId === "string") return sent;
    throw new TypeError("the receipt has no messageId");
  } catch (error) {
    // An adapter made for another release may have other reasons.
    if (error instanceof DeliveryFailed && error.reason in REASONS) return error;
    logger.error(
      { channel, delivery: delivery.id, error: messageOf(error) },
      "adapter bug: rejected with another error than DeliveryFailed, outcome counts as unknown",
    );
    return new AdapterBug(error);
  }
};

/** Fails with "rejected" for an adapter that cannot edit. */
export const callEdit = async (
  deps: Deps,
  adapter: ChannelAdapter,
  messageId: string,
  delivery: Delivery,
): Promise<Receipt | DeliveryFailed> =>
  isEditingAdapter(adapter)
    ? callAdapter(deps, adapter, delivery, (attempted) => adapter.edit(messageId, attempted))
    : new DeliveryFailed("rejected", "messages cannot be edited here");

export const callDeliver = (deps: Deps, adapter: ChannelAdapter, delivery: Delivery) =>
  callAdapter(deps, adapter, delivery, (attempted) => adapter.deliver(attempted));

/** The platform did not respond, or did not accept the credentials. All other failures prove that it works. */
const UNREACHABLE: ReadonlySet<DeliveryFailure> = new Set(["unavailable", "unknown"]);
/** Single failures are normal. */
const MIN_FAILURES = 3;

/** Derives the platform's health from delivery outcomes: a token revoked while the channel runs shows here first. */
export class DeliveryHealth {
  #failures = 0;
  #reason: string | undefined;

  note(sent: Receipt | DeliveryFailed): void {
    const hasFailed = sent instanceof DeliveryFailed && UNREACHABLE.has(sent.reason);
    this.#failures = hasFailed ? this.#failures + 1 : 0;
    this.#reason = hasFailed ? sent.message : undefined;
  }

  /** For a new connection: earlier failures say nothing about it. */
  reset(): void {
    this.#failures = 0;
    this.#reason = undefined;
  }

  get problem(): string | undefined {
    return this.#failures >= MIN_FAILURES ? this.#reason : undefined;
  }
}
