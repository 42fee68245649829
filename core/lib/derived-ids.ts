import { hash } from "node:crypto";

/** Deterministic: the same parts give the same id in every process. */
export const stableId = (prefix: string, ...parts: readonly string[]): string =>
  `${prefix}-${hash("sha256", JSON.stringify(parts), "hex").slice(0, 32)}`;

/**
 * Only this file reads the trace id of a piece of work; all records carry it as an opaque string. Work that began here
 * has the 32 hex digits of OpenTelemetry, alone or in a longer spelling. Work that another agent began with its own trace
 * has that trace's `traceparent`, followed by its `tracestate` if there was one.
 */
const PLAIN = /^(?!0{32})[0-9a-f]{32}$/;
const SPELLED = /^(?:[a-z]+-)?([0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12})$/;
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const FOREIGN = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:;(.*))?$/;
const ZEROES = /^0+$/;
/** The length that every system must propagate: https://www.w3.org/TR/trace-context/#tracestate-limits */
const MAX_STATE_CHARS = 512;
/** Printable ASCII, so that the header stays valid. */
const STATE = /^[\x20-\x7e]*$/;

/** The id of the trace in OpenTelemetry: 32 hex digits, the same in every process. */
export const otelTraceId = (traceId: string): string => {
  if (PLAIN.test(traceId)) return traceId;
  const known = FOREIGN.exec(traceId)?.[1] ?? SPELLED.exec(traceId)?.[1]?.replaceAll("-", "");
  return known === undefined || ZEROES.test(known) ? hash("sha256", traceId, "hex").slice(0, 32) : known;
};

/** The parent span in the system that began the work. */
export const foreignParent = (traceId: string): string | undefined => FOREIGN.exec(traceId)?.[2];

export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** The trace id of work that a request begins, if the request has a trace. Malformed headers are ignored. */
export const acceptTrace = (traceparent: unknown, tracestate: unknown): string | undefined => {
  const [, version = "", trace = "", parent = "", flags = "", more] =
    (typeof traceparent === "string" && TRACEPARENT.exec(traceparent)) || [];
  if (version === "" || version === "ff" || ZEROES.test(trace) || ZEROES.test(parent)) return undefined;
  // Only later versions may append fields.
  if (version === "00" && more !== undefined) return undefined;
  const state = typeof tracestate === "string" ? tracestate.trim() : "";
  const isPropagated = state !== "" && state.length <= MAX_STATE_CHARS && STATE.test(state);
  return `00-${trace}-${parent}-${flags}${isPropagated ? `;${state}` : ""}`;
};

/** The headers of an outgoing request, so that its spans elsewhere join the trace. */
export const traceHeaders = (traceId: string, parentId: string, isSampled: boolean): TraceHeaders => {
  const state = FOREIGN.exec(traceId)?.[3];
  return {
    traceparent: `00-${otelTraceId(traceId)}-${parentId}-${isSampled ? "01" : "00"}`,
    ...(state !== undefined && { tracestate: state }),
  };
};

/**
 * Decides by the trace id alone, so that every process decides the same. By the standard the last 56 bits are random; 48
 * of them are precise enough and fit a number.
 */
export const isSampled = (traceId: string, ratio: number): boolean =>
  Number.parseInt(otelTraceId(traceId).slice(18, 30), 16) >= (1 - ratio) * 2 ** 48;
