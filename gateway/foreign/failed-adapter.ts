import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import { AppError } from "../../core/contract/app-error.ts";

/**
 * Takes the place of an adapter that could not be created: its channel is degraded, and deliveries wait in their queue
 * until a later start succeeds.
 */
export const failedAdapter = (channel: string, reason: string): ChannelAdapter => ({
  channel,
  capabilities: { connection: "shared", resend: "repeats" },
  start: () => Promise.reject(new AppError("unavailable", reason)),
  deliver: () => Promise.reject(new DeliveryFailed("unavailable", reason)),
  stop: async () => undefined,
});
