import { randomBytes } from "node:crypto";
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, BatchSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import type { TelemetryConfig } from "../../config/index.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import type { SpanRecord, Tracer } from "../../core/contract/telemetry.ts";
import { isSampled, otelTraceId } from "../../core/telemetry/index.ts";
import { VERSION } from "../version.ts";
import type { TelemetryParts } from "./start-telemetry.ts";

export type OtlpOptions = Omit<TelemetryConfig, "otlp"> & NonNullable<TelemetryConfig["otlp"]>;

export interface OtlpLimits {
  /** Spans that wait for the collector; what comes on top is dropped. */
  readonly mostWaiting: number;
  /** How long they are gathered. */
  readonly gatherMs: number;
  /** How long the collector may take for one request, its repeats included. */
  readonly exportWithinMs: number;
  /** How long a stop waits for the last of them: less than a stop has for each of its steps. */
  readonly stopWithinMs: number;
}

const DEFAULT_LIMITS: OtlpLimits = {
  mostWaiting: 4_096,
  gatherMs: 2_000,
  exportWithinMs: 10_000,
  stopWithinMs: 1_500,
};

const KINDS: Record<SpanRecord["kind"], SpanKind> = {
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** Gives spans to OpenTelemetry. Whatever the collector does, nobody waits for it and nothing fails. */
export class OtlpTracer implements Tracer {
  readonly #parts: TelemetryParts;
  readonly #limits: OtlpLimits;
  readonly #ratio: number;
  readonly #provider: TracerProvider;
  #waiting = 0;
  #isFailing = false;
  /** Of the span that is being told. */
  #ids = { trace: "", span: "" };

  constructor(options: OtlpOptions, parts: TelemetryParts, limits: Partial<OtlpLimits> = {}) {
    this.#parts = parts;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#ratio = options.sampleRatio;
    const { mostWaiting, gatherMs, exportWithinMs } = this.#limits;
    const headers = Object.entries(options.headers).map(([name, value]) => [name, value.reveal()]);
    const exporter = new OTLPTraceExporter({
      url: options.url,
      headers: Object.fromEntries(headers),
      timeoutMillis: exportWithinMs,
    });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({
        "service.name": options.serviceName,
        "service.version": VERSION,
        "process.pid": process.pid,
      }),
      // Decided before, by the trace's id.
      sampler: new AlwaysOnSampler(),
      idGenerator: { generateTraceId: () => this.#ids.trace, generateSpanId: () => this.#ids.span },
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: this.#counted(exporter),
          maxQueueSize: mostWaiting,
          scheduledDelayMillis: gatherMs,
          // Never before the exporter itself has given up.
          exportTimeoutMillis: exportWithinMs * 2,
        }),
      ],
    });
  }

  isSampled(traceId: string): boolean {
    return isSampled(traceId, this.#ratio);
  }

  record({ traceId, id, parentId, name, kind, startedAt, endedAt, attributes, error }: SpanRecord): void {
    if (!this.isSampled(traceId)) return;
    if (this.#waiting >= this.#limits.mostWaiting) {
      this.#dropped(1, "queue-full");
      return;
    }
    this.#waiting++;
    this.#ids = { trace: otelTraceId(traceId), span: id ?? randomBytes(8).toString("hex") };
    const parent = parentId && { traceId: this.#ids.trace, spanId: parentId, traceFlags: TraceFlags.SAMPLED };
    const span = this.#provider.getTracer("mooring", VERSION).startSpan(
      name,
      {
        kind: KINDS[kind],
        startTime: startedAt,
        attributes: Object.fromEntries(Object.entries(attributes).flatMap(known)),
      },
      parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT,
    );
    if (error !== undefined) {
      span.setAttribute("error.type", error);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(Math.max(startedAt, endedAt));
  }

  async stop(): Promise<void> {
    const { clock, logger } = this.#parts;
    const { stopWithinMs } = this.#limits;
    // A failure was told by the export that failed.
    const sent = this.#provider.shutdown().catch(() => undefined);
    await new Promise<void>((resolve) => {
      const timer = clock.after(stopWithinMs, resolve);
      void sent.then(() => {
        timer.cancel();
        resolve();
      });
    });
    if (this.#waiting > 0) logger.warn({ spans: this.#waiting }, "stopped before the collector had taken all traces");
  }

  #counted(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans, done) =>
        exporter.export(spans, (result) => {
          this.#waiting -= spans.length;
          if (result.error === undefined) this.#taken(spans.length);
          else this.#refused(spans.length, result.error);
          done(result);
        }),
      shutdown: () => exporter.shutdown(),
    };
  }

  #taken(count: number): void {
    const { logger, meter } = this.#parts;
    meter.count("telemetry_spans_exported_total", {}, count);
    if (this.#isFailing) logger.info({}, "the collector takes traces again");
    this.#isFailing = false;
  }

  #refused(count: number, error: Error): void {
    this.#dropped(count, "not-taken");
    if (!this.#isFailing) {
      this.#parts.logger.warn(
        { reason: messageOf(error) },
        "the collector takes no traces; they are dropped until it does",
      );
    }
    this.#isFailing = true;
  }

  #dropped(count: number, reason: string): void {
    this.#parts.meter.count("telemetry_spans_dropped_total", { reason }, count);
  }
}

type Attribute = SpanRecord["attributes"][string];
type Known = Exclude<Attribute, undefined | readonly string[]> | string[];

const known = ([name, value]: [string, Attribute]): [string, Known][] => {
  if (value === undefined) return [];
  return [[name, typeof value === "object" ? [...value] : value]];
};
