/** Counters and measurements; the gateway exports them to Prometheus. Names are snake_case and end with their unit. */
export interface Meter {
  count(name: string, labels?: Labels, by?: number): void;
  observe(name: string, value: number, labels?: Labels): void;
  gauge(name: string, value: number, labels?: Labels): void;
}

export type Labels = Readonly<Record<string, string>>;

export const silentMeter: Meter = { count() {}, observe() {}, gauge() {} };

/**
 * Takes spans of steps that have ended, so no open span crosses a process boundary; the process that ends a crashed
 * step records its span. Absent if telemetry is off: `tracer?.record(…)` then costs nothing.
 */
export interface Tracer {
  record(span: SpanRecord): void;
  /** Whether the trace of a piece of work is exported. */
  isSampled(traceId: string): boolean;
}

export interface SpanRecord {
  /** The trace id in the records of the work. */
  readonly traceId: string;
  /** 16 hex digits. Given if other spans, here or in another process, have this one as parent; else generated. */
  readonly id?: string;
  /** Absent for the first span of the work. */
  readonly parentId?: string | undefined;
  readonly name: string;
  readonly kind: "internal" | "client" | "producer" | "consumer";
  /** Wall clock, milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Ids, names and counts: never text of people or models. */
  readonly attributes: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  /** The kind of failure, from a small closed set. */
  readonly error?: string | undefined;
}

/** A tool call that has ended, for the list of operators: never its arguments or its result. */
export interface EndedToolCall {
  /** The idempotency key. */
  readonly id: string;
  readonly tenant: string;
  readonly agent: string;
  readonly tool: string;
  /** The MCP server of the tool. */
  readonly server?: string | undefined;
  /** refused: a right is missing, or moderation forbids it. interrupted: started before a crash, outcome unknown. */
  readonly outcome: "done" | "failed" | "timeout" | "cancelled" | "refused" | "invalid" | "interrupted";
  /** Absent if the call did not run. */
  readonly durationMs?: number | undefined;
  /** Of the person, schedule or agent that asked. */
  readonly personId: string;
  readonly turnId: string;
  readonly traceId: string;
}

/** Takes ended tool calls; it neither fails nor waits. */
export interface ToolCallLog {
  note(call: EndedToolCall): void;
}

/** A named point between two steps, at which tests kill the process. It does nothing in the product. */
export type Checkpoint = (name: string, about?: string) => void | Promise<void>;

export const noCheckpoint: Checkpoint = () => undefined;
