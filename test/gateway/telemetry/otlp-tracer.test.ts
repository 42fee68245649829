import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock as clock } from "../../../core/contract/ports/clock.ts";
import type { SpanRecord } from "../../../core/contract/ports/telemetry.ts";
import { Secret } from "../../../core/contract/secret.ts";
import { type OtlpLimits, OtlpTracer } from "../../../gateway/telemetry/otlp-tracer.ts";
import { OtlpReceiver } from "../../fakes/otlp/otlp-receiver.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { RecordingMeter } from "../../fakes/recording-meter.ts";

let collector: OtlpReceiver;
let logger: RecordingLogger;
let meter: RecordingMeter;
beforeEach(async () => {
  collector = await OtlpReceiver.start();
  logger = new RecordingLogger();
  meter = new RecordingMeter();
});
afterEach(() => collector.stop());

const open = (limits: Partial<OtlpLimits> = {}, options: { url?: string; sampleRatio?: number } = {}) =>
  new OtlpTracer(
    { url: collector.url, headers: { "x-key": new Secret("k1") }, sampleRatio: 1, serviceName: "harbour", ...options },
    { clock, logger, meter },
    { batchDelayMs: 1, exportWithinMs: 300, stopWithinMs: 300, ...limits },
  );

const span = (more: Partial<SpanRecord> = {}): SpanRecord => ({
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  id: "b7ad6b7169203331",
  name: "chat scripted",
  kind: "client",
  startedAt: 1_000,
  endedAt: 1_500,
  attributes: { "gen_ai.usage.input_tokens": 7, "gen_ai.response.finish_reasons": ["stop"], absent: undefined },
  ...more,
});

const warnings = () => logger.lines.items.filter(({ level }) => level === "warn");

describe("given a collector", () => {
  it("when a span is recorded, then the collector receives it with its ids, its service and the configured headers", async () => {
    const tracer = open();
    tracer.record(span());
    tracer.record(span({ id: "00f067aa0ba902b7", parentId: "b7ad6b7169203331", kind: "internal", error: "timeout" }));
    const [first, second] = await collector.spans.count(2);
    expect(first).toEqual({
      traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
      spanId: "b7ad6b7169203331",
      parentSpanId: undefined,
      name: "chat scripted",
      kind: 3,
      attributes: { "gen_ai.usage.input_tokens": 7, "gen_ai.response.finish_reasons": ["stop"] },
      resource: { "service.name": "harbour", "service.version": expect.any(String), "process.pid": process.pid },
      isError: false,
    });
    expect(second).toMatchObject({ parentSpanId: "b7ad6b7169203331", isError: true });
    expect(second?.attributes).toMatchObject({ "error.type": "timeout" });
    expect(collector.requests.items[0]).toMatchObject({ "x-key": "k1", "content-type": "application/json" });
    await tracer.stop();
    expect(meter.counts).toEqual({ telemetry_spans_exported_total: 2 });
    expect(logger.lines.items).toEqual([]);
  });

  it("when a trace is not sampled, then its spans are not exported", async () => {
    const tracer = open({}, { sampleRatio: 0 });
    tracer.record(span());
    await tracer.stop();
    expect(collector.requests.items).toEqual([]);
    expect(meter.counts).toEqual({});
  });

  it("when the tracer stops, then waiting spans are exported first", async () => {
    const tracer = open({ batchDelayMs: 3_600_000, stopWithinMs: 3_600_000 });
    tracer.record(span());
    await tracer.stop();
    expect(collector.spans.items).toHaveLength(1);
  });
});

describe("given a failing collector", () => {
  it("when it answers 500, then spans are dropped and counted, and the log has one line for the failure and one for the recovery", async () => {
    collector.manner = { status: 500 };
    const tracer = open();
    for (let n = 1; n <= 3; n++) {
      tracer.record(span());
      await collector.requests.count(n);
    }
    await untilCounted("telemetry_spans_dropped_total not-taken", 3);
    collector.manner = "take";
    tracer.record(span());
    await collector.spans.count(1);
    await tracer.stop();
    expect(warnings()).toHaveLength(1);
    expect(logger.lines.items.at(-1)).toMatchObject({ level: "info", message: "trace export recovered" });
  });

  it("when it is unreachable, then nothing fails, and the dropped spans are counted", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as { port: number };
    closed.close();
    const tracer = open({}, { url: `http://127.0.0.1:${port}/v1/traces` });
    tracer.record(span());
    await untilCounted("telemetry_spans_dropped_total not-taken", 1);
    expect(warnings()).toMatchObject([{ fields: { reason: expect.any(String) } }]);
    await tracer.stop();
  });

  it("when it hangs, then at most the limit of spans waits, the rest is dropped and counted, and a stop does not wait for it", async () => {
    collector.manner = "hang";
    const tracer = open({ maxWaiting: 10, exportWithinMs: 3_600_000 });
    for (let n = 0; n < 25; n++) tracer.record(span());
    expect(meter.counts["telemetry_spans_dropped_total queue-full"]).toBe(15);
    await tracer.stop();
    expect(warnings()).toMatchObject([{ fields: { spans: 10 } }]);
  });
});

const untilCounted = async (name: string, count: number): Promise<void> => {
  while ((meter.counts[name] ?? 0) < count) await new Promise(setImmediate);
};
