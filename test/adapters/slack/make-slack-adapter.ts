import { randomUUID } from "node:crypto";
import { SlackAdapter } from "../../../adapters/slack/adapter.ts";
import { SlackConfig } from "../../../adapters/slack/config.ts";
import { defaultSlackLimits, type SlackLimits } from "../../../adapters/slack/web-api.ts";
import { alwaysWritable } from "../../../core/contract/ports/backbone.ts";
import { type Clock, systemClock } from "../../../core/contract/ports/clock.ts";
import { type Logger, silentLogger } from "../../../core/contract/ports/logger.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import type { FakeSlack } from "../../fakes/slack/fake-slack.ts";
import { MemoryStore } from "../web/memory-store.ts";

export type SlackMode = "http" | "socket";

/** Shorter than in the product, so that tests are quick. */
export const quickLimits: SlackLimits = {
  ...defaultSlackLimits,
  stopMs: 1_000,
  helloMs: 2_000,
  reconnectMs: 10,
  maxReconnectMs: 50,
};

export interface AdapterOptions {
  readonly channel?: string;
  readonly config?: object;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly limits?: SlackLimits;
}

export const slackAdapter = (slack: FakeSlack, mode: SlackMode, options: AdapterOptions = {}): SlackAdapter => {
  const { channel = "main", config = {}, clock = systemClock, logger = silentLogger, limits = quickLimits } = options;
  const { botToken, appToken, signingSecret, apiUrl } = slack;
  const way = mode === "http" ? { signingSecret } : { appToken };
  return new SlackAdapter(
    SlackConfig.parse({ adapter: "slack", botToken, apiUrl, ...way, ...config }),
    {
      channel,
      tenant: "default",
      agent: "mooring",
      publicUrl: "http://localhost",
      store: new MemoryStore(clock),
      signal: () => undefined,
      writes: alwaysWritable,
      commands: [],
      sessionOf: async () => "s-1",
      clock,
      logger,
      meter: silentMeter,
      newId: randomUUID,
    },
    limits,
  );
};
