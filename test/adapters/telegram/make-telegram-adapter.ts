import { TelegramAdapter } from "../../../adapters/telegram/adapter.ts";
import type { TelegramTiming } from "../../../adapters/telegram/api/timing.ts";
import { TelegramConfig } from "../../../adapters/telegram/config.ts";
import { commandMenu } from "../../../core/commands/commands.ts";
import { alwaysWritable } from "../../../core/contract/ports/backbone.ts";
import { type Clock, systemClock } from "../../../core/contract/ports/clock.ts";
import { type Logger, silentLogger } from "../../../core/contract/ports/logger.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import { MemoryStore } from "../../fakes/memory-store.ts";
import type { FakeTelegram } from "../../fakes/telegram/fake-telegram.ts";

export const WEBHOOK_SECRET = "a-secret_of-the-webhook";

export interface AdapterOptions {
  readonly channel?: string;
  readonly store?: Store;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly timing?: Partial<TelegramTiming>;
  readonly apiUrl?: string;
  readonly publicUrl?: string;
  readonly settings?: object;
}

/** Short for tests, but long enough that nothing times out on a busy machine. */
const quickTiming: Partial<TelegramTiming> = { firstPauseMs: 20, maxPauseMs: 100, albumMs: 150, stopMs: 400 };

let made = 0;

/** An adapter for a local Telegram, not started yet. */
export const makeTelegramAdapter = (telegram: FakeTelegram, options: AdapterOptions = {}): TelegramAdapter => {
  const config = TelegramConfig.parse({
    adapter: "telegram",
    botToken: telegram.token,
    apiUrl: options.apiUrl ?? telegram.apiUrl,
    access: { accounts: "*" },
    ...options.settings,
  });
  const context = {
    channel: options.channel ?? "telegram",
    tenant: "default",
    agent: "mooring",
    publicUrl: options.publicUrl ?? "http://127.0.0.1:1",
    commands: commandMenu,
    store: options.store ?? new MemoryStore(),
    writes: alwaysWritable,
    signal: () => undefined,
    sessionOf: async () => "session",
    clock: options.clock ?? systemClock,
    logger: options.logger ?? silentLogger,
    meter: silentMeter,
    newId: () => `id${++made}`,
  };
  return new TelegramAdapter(config, context, { ...quickTiming, ...options.timing });
};
