import { DiscordAdapter } from "../../../adapters/discord/adapter.ts";
import type { DiscordTiming } from "../../../adapters/discord/api/timing.ts";
import { DiscordConfig } from "../../../adapters/discord/config.ts";
import { commandMenu } from "../../../core/commands/commands.ts";
import { alwaysWritable, type WriteAvailability } from "../../../core/contract/ports/backbone.ts";
import { type Clock, systemClock } from "../../../core/contract/ports/clock.ts";
import { type Logger, silentLogger } from "../../../core/contract/ports/logger.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import type { FakeDiscord } from "../../fakes/discord/fake-discord.ts";
import { MemoryStore } from "../web/memory-store.ts";

export interface AdapterOptions {
  readonly channel?: string;
  readonly store?: Store;
  readonly writes?: WriteAvailability;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly access?: object;
  readonly reactions?: boolean;
  readonly timing?: Partial<DiscordTiming>;
}

/** Short for tests, but long enough that nothing times out on a busy machine. */
const quickTiming: Partial<DiscordTiming> = {
  stopWithinMs: 400,
  identifyEveryMs: 0,
  firstPauseMs: 50,
  maxPauseMs: 200,
};

let made = 0;

/** An adapter for a local Discord, not started yet. */
export const makeDiscordAdapter = (discord: FakeDiscord, options: AdapterOptions = {}): DiscordAdapter => {
  const { clock = systemClock, channel = "discord", access = { guilds: "*" }, logger = silentLogger } = options;
  const config = DiscordConfig.parse({
    adapter: "discord",
    botToken: discord.token,
    apiUrl: discord.apiUrl,
    access,
    reactions: options.reactions,
  });
  const context = {
    channel,
    tenant: "default",
    agent: "mooring",
    publicUrl: "http://localhost",
    store: options.store ?? new MemoryStore(clock),
    signal: () => undefined,
    writes: options.writes ?? alwaysWritable,
    commands: commandMenu,
    sessionOf: async () => "session",
    clock,
    logger,
    meter: silentMeter,
    newId: () => `id${++made}`,
  };
  return new DiscordAdapter(config, context, { ...quickTiming, ...options.timing });
};
