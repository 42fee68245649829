import { describe, expect, it } from "vitest";
import { TelemetryConfig } from "../../../config/schema/observability-config.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { systemClock as clock } from "../../../core/contract/ports/clock.ts";
import { startTelemetry } from "../../../gateway/telemetry/start-telemetry.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { RecordingMeter } from "../../fakes/recording-meter.ts";

describe("given configured telemetry", () => {
  it("when it traces a backbone, then all other members of the backbone behave as before (U4)", async () => {
    const telemetry = await startTelemetry(
      { telemetry: TelemetryConfig.parse({ otlp: { url: "http://127.0.0.1:9/v1/traces" } }), backbone: "embedded" },
      { clock, logger: new RecordingLogger(), meter: new RecordingMeter() },
    );
    const backbone = {
      bus: {},
      store: {},
      health: () => ({ ok: true }),
      writeProblem: () => "the disk is full",
      onHealthChange: () => ({ close: () => undefined }),
      freeBytes: async () => 7,
      queues: () => [],
      close: async () => undefined,
    } as unknown as Backbone;
    const traced = telemetry?.traced(backbone);
    expect(Object.keys(traced ?? {}).sort()).toEqual(Object.keys(backbone).sort());
    expect(traced?.writeProblem()).toBe("the disk is full");
    expect(await traced?.freeBytes?.()).toBe(7);
    await telemetry?.stop();
  });
});
