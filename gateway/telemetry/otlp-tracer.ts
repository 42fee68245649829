import { randomBytes } from "node:crypto";
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, BatchSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import type { TelemetryConfig } from "../../config/index.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import type { SpanRecord, Tracer } from "../../core/contract/ports/telemetry.ts";
import { isSampled, otelTraceId } from "../../core/lib/index.ts";
import { VERSION } from "../version.ts";
import type { TelemetryDeps } from "./start-telemetry.ts";

type OtlpOptions = Omit<TelemetryConfig, "otlp"> & NonNullable<TelemetryConfig["otlp"]>;

export interface OtlpLimits {
  /** Maximum number of spans that wait for export; further spans are dropped. */
  readonly maxWaiting: number;
  /** Delay before a batch is exported. */
  readonly batchDelayMs: number;
  /** Timeout of one export, including its retries. */
  readonly exportWithinMs: number;
  /** Timeout of the last export; shorter than the timeout of a stop step. */
  readonly stopWithinMs: number;
}

const DEFAULT_LIMITS: OtlpLimits = {
  maxWaiting: 4_096,
  batchDelayMs: 2_000,
  exportWithinMs: 10_000,
  stopWithinMs: 1_500,
};

const KINDS: Record<SpanRecord["kind"], SpanKind> = {
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** Exports spans with OpenTelemetry. A slow or failing collector neither delays nor fails any work. */
export class OtlpTracer implements Tracer {
  readonly #deps: TelemetryDeps;
  readonly #limits: OtlpLimits;
  readonly #ratio: number;
  readonly #provider: TracerProvider;
  #waiting = 0;
  #isFailing = false;
  /** Ids for the span that `record` is creating. */
  #ids = { trace: "", span: "" };

  constructor(options: OtlpOptions, deps: TelemetryDeps, limits: Partial<OtlpLimits> = {}) {
    this.#deps = deps;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#ratio = options.sampleRatio;
    const { maxWaiting, batchDelayMs, exportWithinMs } = this.#limits;
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
      // `record` has already sampled by trace id.
      sampler: new AlwaysOnSampler(),
      idGenerator: { generateTraceId: () => this.#ids.trace, generateSpanId: () => this.#ids.span },
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: this.#withCounts(exporter),
          maxQueueSize: maxWaiting,
          scheduledDelayMillis: batchDelayMs,
          // Longer than the exporter's own timeout, so that its error is reported.
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
    if (this.#waiting >= this.#limits.maxWaiting) {
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
    const { clock, logger } = this.#deps;
    const { stopWithinMs } = this.#limits;
    // The failed export itself has logged the error.
    const sent = this.#provider.shutdown().catch(() => undefined);
    await new Promise<void>((resolve) => {
      const timer = clock.after(stopWithinMs, resolve);
      void sent.then(() => {
        timer.cancel();
        resolve();
      });
    });
    if (this.#waiting > 0) logger.warn({ spans: this.#waiting }, "stopped before all traces were exported");
  }

  #withCounts(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans, done) =>
        exporter.export(spans, (result) => {
          this.#waiting -= spans.length;
          if (result.error === undefined) this.#exported(spans.length);
          else this.#failed(spans.length, result.error);
          done(result);
        }),
      shutdown: () => exporter.shutdown(),
    };
  }

  #exported(count: number): void {
    const { logger, meter } = this.#deps;
    meter.count("telemetry_spans_exported_total", {}, count);
    if (this.#isFailing) logger.info({}, "trace export recovered");
    this.#isFailing = false;
  }

  #failed(count: number, error: Error): void {
    this.#dropped(count, "not-taken");
    if (!this.#isFailing) {
      this.#deps.logger.warn({ reason: messageOf(error) }, "could not export traces, dropping them");
    }
    this.#isFailing = true;
  }

  #dropped(count: number, reason: string): void {
    this.#deps.meter.count("telemetry_spans_dropped_total", { reason }, count);
  }
}

type Attribute = SpanRecord["attributes"][string];
type Known = Exclude<Attribute, undefined | readonly string[]> | string[];

const known = ([name, value]: [string, Attribute]): [string, Known][] => {
  if (value === undefined) return [];
  return [[name, typeof value === "object" ? [...value] : value]];
};
