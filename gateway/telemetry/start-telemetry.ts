import type { Config } from "../../config/index.ts";
import type { Backbone } from "../../core/contract/backbone.ts";
import type { Clock } from "../../core/contract/clock.ts";
import type { Logger } from "../../core/contract/logger.ts";
import type { Meter, Tracer } from "../../core/contract/telemetry.ts";
import { tracedBus } from "../../core/telemetry/index.ts";

export interface TelemetryParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
}

export interface Telemetry {
  readonly tracer: Tracer;
  /** The same backbone, with a bus that tells of what it carries. */
  traced(backbone: Backbone): Backbone;
  /** Sends what is left, for a moment. */
  stop(): Promise<void>;
}

/** Undefined: it is not configured, and nothing of it is loaded. */
export const startTelemetry = async (
  { telemetry, backbone: kind }: Pick<Config, "telemetry" | "backbone">,
  parts: TelemetryParts,
): Promise<Telemetry | undefined> => {
  const { otlp, ...settings } = telemetry;
  if (otlp === undefined) return undefined;
  const { OtlpTracer } = await import("./otlp-tracer.ts");
  const tracer = new OtlpTracer({ ...settings, ...otlp }, parts);
  const system = kind === "embedded" ? "mooring" : "nats";
  return {
    tracer,
    traced: (backbone) => ({
      bus: tracedBus(backbone.bus, { tracer, clock: parts.clock, system }),
      store: backbone.store,
      health: () => backbone.health(),
      writeProblem: () => backbone.writeProblem(),
      ...(backbone.freeBytes && { freeBytes: backbone.freeBytes }),
      queues: () => backbone.queues(),
      close: () => backbone.close(),
    }),
    stop: () => tracer.stop(),
  };
};
