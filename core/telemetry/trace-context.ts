import { hash } from "node:crypto";

/**
 * The trace id that a piece of work carries from record to record is opaque to everyone but this file. Work that began
 * here has the 32 hex digits of OpenTelemetry, alone or in a longer spelling; work that another agent began with a trace
 * of its own has that trace's `traceparent`, followed by its `tracestate` if there was one.
 */
const PLAIN = /^(?!0{32})[0-9a-f]{32}$/;
const SPELLED = /^(?:[a-z]+-)?([0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12})$/;
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const FOREIGN = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:;(.*))?$/;
const ZEROES = /^0+$/;
/** What the standard has every system pass on at the least. */
const MAX_STATE_CHARS = 512;
/** Printable, and none that would end the header. */
const STATE = /^[\x20-\x7e]*$/;

/** As OpenTelemetry knows the trace: 32 hex digits, the same in every process. */
export const otelTraceId = (traceId: string): string => {
  if (PLAIN.test(traceId)) return traceId;
  const known = FOREIGN.exec(traceId)?.[1] ?? SPELLED.exec(traceId)?.[1]?.replaceAll("-", "");
  return known === undefined || ZEROES.test(known) ? hash("sha256", traceId, "hex").slice(0, 32) : known;
};

/** The span elsewhere that the work hangs on. */
export const foreignParent = (traceId: string): string | undefined => FOREIGN.exec(traceId)?.[2];

/** What names a span: the same parts give the same id, in every process and after every death. */
export const spanId = (...parts: readonly string[]): string =>
  hash("sha256", JSON.stringify(parts), "hex").slice(0, 16);

/** The span that the work begins with. Whatever has no nearer parent hangs on it. */
export const rootSpanId = (traceId: string): string => spanId("root", traceId);

export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** The trace id of work that a request begins, if it brings a trace along. What is malformed counts as not sent. */
export const acceptTrace = (traceparent: unknown, tracestate: unknown): string | undefined => {
  const [, version = "", trace = "", parent = "", flags = "", more] =
    (typeof traceparent === "string" && TRACEPARENT.exec(traceparent)) || [];
  if (version === "" || version === "ff" || ZEROES.test(trace) || ZEROES.test(parent)) return undefined;
  // Later versions may say more behind it.
  if (version === "00" && more !== undefined) return undefined;
  const state = typeof tracestate === "string" ? tracestate.trim() : "";
  const isPassedOn = state !== "" && state.length <= MAX_STATE_CHARS && STATE.test(state);
  return `00-${trace}-${parent}-${flags}${isPassedOn ? `;${state}` : ""}`;
};

/** What a request to elsewhere carries, so that what is done there joins the trace. */
export const traceHeaders = (traceId: string, parentId: string, isSampled: boolean): TraceHeaders => {
  const state = FOREIGN.exec(traceId)?.[3];
  return {
    traceparent: `00-${otelTraceId(traceId)}-${parentId}-${isSampled ? "01" : "00"}`,
    ...(state !== undefined && { tracestate: state }),
  };
};
