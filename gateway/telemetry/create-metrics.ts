import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import type { Labels, Meter } from "../../core/contract/ports/telemetry.ts";
import { type MetricDefinition, metricDefinitions } from "./metric-definitions.ts";

export interface Metrics {
  readonly meter: Meter;
  readonly contentType: string;
  /** Registers a function that sets gauges before each scrape. */
  beforeScrape(setGauges: (meter: Meter) => void): void;
  /** All metrics in the text format of Prometheus. */
  exposition(): Promise<string>;
}

type Recorder = (labels: Labels, value: number) => void;

/** Sampling interval of the event loop's lag, which the lag includes. The default of 10 ms was half of the CPU at rest. */
const LAG_SAMPLE_MS = 100;

/** A Meter with its own registry. Use of an undefined metric is a bug, which is logged once and never thrown. */
export const createMetrics = (logger: Logger): Metrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS });
  const recorders = new Map(
    Object.entries(metricDefinitions).map(([name, definition]) => [
      name,
      { kind: definition.kind, record: recorderOf(registry, name, definition) },
    ]),
  );

  const reported = new Set<string>();
  const report = (name: string, problem: string) => {
    if (reported.has(name)) return;
    reported.add(name);
    logger.error({ metric: name, reason: problem }, "metric used without a matching definition");
  };
  const record = (kind: MetricDefinition["kind"], name: string, labels: Labels, value: number) => {
    const recorder = recorders.get(name);
    if (recorder?.kind !== kind) return report(name, `there is no ${kind} with this name`);
    try {
      recorder.record(labels, value);
    } catch (error) {
      report(name, messageOf(error));
    }
  };
  const meter: Meter = {
    count: (name, labels = {}, by = 1) => record("counter", name, labels, by),
    observe: (name, value, labels = {}) => record("histogram", name, labels, value),
    gauge: (name, value, labels = {}) => record("gauge", name, labels, value),
  };
  const gaugeSetters: ((meter: Meter) => void)[] = [];
  return {
    meter,
    contentType: registry.contentType,
    beforeScrape: (setGauges) => gaugeSetters.push(setGauges),
    exposition: () => {
      for (const setGauges of gaugeSetters) setGauges(meter);
      return registry.metrics();
    },
  };
};

const recorderOf = (registry: Registry, name: string, definition: MetricDefinition): Recorder => {
  const options = {
    name: `mooring_${name}`,
    help: definition.help,
    labelNames: [...definition.labels],
    registers: [registry],
  };
  if (definition.kind === "counter") {
    const counter = new Counter(options);
    return (labels, value) => counter.inc(labels, value);
  }
  if (definition.kind === "gauge") {
    const gauge = new Gauge(options);
    return (labels, value) => gauge.set(labels, value);
  }
  const histogram = new Histogram({ ...options, buckets: [...(definition.buckets ?? [])] });
  return (labels, value) => histogram.observe(labels, value);
};
