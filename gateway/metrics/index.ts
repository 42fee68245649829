export { createMetrics, type Metrics } from "./create-metrics.ts";
