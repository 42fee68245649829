import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../config/parse-config.ts";
import { systemClock as clock } from "../../../core/contract/clock.ts";
import { silentLogger as logger } from "../../../core/contract/logger.ts";
import { silentMeter as meter } from "../../../core/contract/meter.ts";
import { startTelemetry } from "../../../gateway/telemetry/start-telemetry.ts";
// Everything that runs without telemetry.
import "../../../gateway/run-mooring.ts";

const loaded = (): string[] =>
  Object.keys(createRequire(import.meta.url).cache).filter((file) => file.includes("/@opentelemetry/sdk-trace/"));

const configured = (telemetry: string) =>
  parseConfig({ file: "test.yaml", text: `agents: [{ name: mooring, model: demo }]\n${telemetry}`, env: {} });

describe("given a configuration without telemetry", () => {
  it("when Mooring is put together, then nothing of OpenTelemetry is loaded, and the bus is used as it is (U4)", async () => {
    expect(await startTelemetry(configured(""), { clock, logger, meter })).toBeUndefined();
    expect(
      await startTelemetry(configured("telemetry: { sampleRatio: 0.5 }"), { clock, logger, meter }),
    ).toBeUndefined();
    expect(loaded()).toEqual([]);
  });

  it("when a collector is configured, then it is", async () => {
    const config = configured('telemetry: { otlp: { url: "http://127.0.0.1:9/v1/traces", headers: { x-key: k } } }');
    expect(String(config.telemetry.otlp?.headers["x-key"])).toBe("[secret]");
    const telemetry = await startTelemetry(config, { clock, logger, meter });
    expect(loaded().length).toBeGreaterThan(0);
    await telemetry?.stop();
  });
});
