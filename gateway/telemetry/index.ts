export { createLogger, standardError } from "./create-logger.ts";
export { createMetrics, type Metrics } from "./create-metrics.ts";
export { deliverySpan } from "./delivery-span.ts";
export { allHourCounts, HourCounts, type Series, WAITING_TTL_MS } from "./hour-counts.ts";
export { LogTail, type TailLine } from "./log-tail.ts";
export { type RecentToolCall, RecentToolCalls, toolCallHours, toolCallsOfHour } from "./recent-tool-calls.ts";
export { startTelemetry } from "./start-telemetry.ts";
