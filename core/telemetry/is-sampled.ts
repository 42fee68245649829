import { otelTraceId } from "./trace-context.ts";

/**
 * By the trace's id alone, so that every process decides the same without asking. Its last 56 bits are the random ones,
 * by the standard; the first 48 of those are fine enough, and fit a number.
 */
export const isSampled = (traceId: string, ratio: number): boolean =>
  Number.parseInt(otelTraceId(traceId).slice(18, 30), 16) >= (1 - ratio) * 2 ** 48;
