export { healthAnswer, healthRoutes } from "./health.ts";
export { homeRoute } from "./home.ts";
export { localMetricsOnly, type MetricsGate, metricsGate, metricsRoute } from "./metrics.ts";
export { socketRoutes } from "./sockets.ts";
export { webhookRoutes } from "./webhooks.ts";
