export { createMetrics, type Metrics } from "./create-metrics.ts";
export { measureRequests } from "./measure-requests.ts";
