export { healthAnswer, healthRoutes } from "./health.ts";
export { homeRoute } from "./home.ts";
export { metricsRoute } from "./metrics.ts";
export { localMetricsOnly, type MetricsGate, metricsGate } from "./metrics-gate.ts";
export { answerNotFound } from "./not-found.ts";
export { socketRoutes } from "./sockets.ts";
export { webhookRoutes } from "./webhooks.ts";
