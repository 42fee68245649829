/**
 * What a trace shows of one step, told when the step has ended: there is nothing to hand on between processes, and what
 * dies half-way is told by whoever ends it. Absent wherever telemetry is off: `tracer?.record(…)` then costs nothing.
 */
export interface Tracer {
  record(span: SpanRecord): void;
  /** Whether the trace of a piece of work is exported. */
  isSampled(traceId: string): boolean;
}

export interface SpanRecord {
  /** As the work's records carry it. */
  readonly traceId: string;
  /** 16 hex digits. Given if other spans, here or in another process, hang on this one; else it is made. */
  readonly id?: string;
  /** Absent: the work begins with it. */
  readonly parentId?: string | undefined;
  readonly name: string;
  readonly kind: "internal" | "client" | "producer" | "consumer";
  /** Wall clock, milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Ids, names, counts: never what people or models said. */
  readonly attributes: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  /** A word for what went wrong, out of a few. */
  readonly error?: string | undefined;
}
