import type { Config } from "../../config/index.ts";
import type { Backbone } from "../../core/contract/ports/backbone.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import type { Meter, Tracer } from "../../core/contract/ports/telemetry.ts";
import { tracedBus } from "../../core/telemetry/index.ts";

export interface TelemetryDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
}

interface Telemetry {
  readonly tracer: Tracer;
  /** Wraps a backbone so that its bus records spans. */
  traced(backbone: Backbone): Backbone;
  /** Exports the remaining spans, in bounded time. */
  stop(): Promise<void>;
}

/** Undefined if telemetry is not configured; the SDK is then not loaded. */
export const startTelemetry = async (
  { telemetry, backbone: kind }: Pick<Config, "telemetry" | "backbone">,
  deps: TelemetryDeps,
): Promise<Telemetry | undefined> => {
  const { otlp, ...settings } = telemetry;
  if (otlp === undefined) return undefined;
  const { OtlpTracer } = await import("./otlp-tracer.ts");
  const tracer = new OtlpTracer({ ...settings, ...otlp }, deps);
  const system = kind === "embedded" ? "mooring" : "nats";
  return {
    tracer,
    traced: (backbone) => ({
      bus: tracedBus(backbone.bus, { tracer, clock: deps.clock, system }),
      store: backbone.store,
      health: () => backbone.health(),
      writeProblem: () => backbone.writeProblem(),
      onHealthChange: (listener) => backbone.onHealthChange(listener),
      ...(backbone.freeBytes && { freeBytes: backbone.freeBytes }),
      queues: () => backbone.queues(),
      close: () => backbone.close(),
    }),
    stop: () => tracer.stop(),
  };
};
