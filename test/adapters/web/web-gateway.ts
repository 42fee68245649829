import type { AdapterContext } from "../../../adapters/contract/adapter-context.ts";
import type { Inbox } from "../../../adapters/contract/channel-adapter.ts";
import { WebAdapter } from "../../../adapters/web/adapter.ts";
import { WebConfig } from "../../../adapters/web/config.ts";
import type { UserSignal } from "../../../core/contract/messages/signals.ts";
import type { InboundMessage } from "../../../core/contract/messages/user-message.ts";
import { alwaysWritable, type WriteAvailability } from "../../../core/contract/ports/backbone.ts";
import { type Clock, systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import { MemoryStore } from "./memory-store.ts";
import { SocketHost } from "./socket-host.ts";

export interface WebGateway {
  readonly adapter: WebAdapter;
  readonly url: string;
  readonly origin: string;
  readonly accepted: InboundMessage[];
  stop(): Promise<void>;
}

export interface WebGatewayOptions {
  readonly config?: Record<string, unknown>;
  readonly store?: Store;
  readonly clock?: Clock;
  readonly channel?: string;
  readonly inbox?: Inbox;
  /** Carries signals between gateways; without it they return to the sender. */
  readonly signal?: (signal: UserSignal) => void;
  readonly commands?: AdapterContext["commands"];
  readonly sessionOf?: AdapterContext["sessionOf"];
  readonly writes?: WriteAvailability;
  readonly freeBytes?: AdapterContext["freeBytes"];
  readonly openFile?: AdapterContext["openFile"];
  readonly isBlocked?: AdapterContext["isBlocked"];
  /** The adapter's public address; defaults to the real one. */
  readonly publicUrl?: string;
}

let made = 0;

/** A web adapter before its start. */
export const makeWebAdapter = (publicUrl: string, options: WebGatewayOptions = {}): WebAdapter => {
  const clock = options.clock ?? systemClock;
  const context: AdapterContext = {
    channel: options.channel ?? "web",
    tenant: "default",
    agent: "mooring",
    publicUrl,
    store: options.store ?? new MemoryStore(clock),
    signal: (signal) => (options.signal ? options.signal(signal) : adapter.onSignal(signal)),
    commands: options.commands ?? [],
    sessionOf: options.sessionOf ?? (async ({ room }) => `session-of-${room}`),
    writes: options.writes ?? alwaysWritable,
    freeBytes: options.freeBytes,
    openFile: options.openFile,
    isBlocked: options.isBlocked,
    clock,
    logger: silentLogger,
    meter: silentMeter,
    newId: () => `id${++made}`,
  };
  const adapter: WebAdapter = new WebAdapter(WebConfig.parse({ adapter: "web", ...options.config }), context);
  return adapter;
};

/** A web adapter behind real sockets. */
export const startWebGateway = async (options: WebGatewayOptions = {}): Promise<WebGateway> => {
  const host = await new SocketHost().open();
  const adapter = makeWebAdapter(options.publicUrl ?? host.origin, options);
  const accepted: InboundMessage[] = [];
  await adapter.start(options.inbox ?? { accept: async (message) => void accepted.push(message) });
  host.mount(adapter);
  let stopping: Promise<void> | undefined;
  return {
    adapter,
    accepted,
    url: host.url,
    origin: host.origin,
    stop: () => {
      stopping ??= host.close().then(() => adapter.stop());
      return stopping;
    },
  };
};
