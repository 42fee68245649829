export interface MetricDefinition {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** Of a histogram: upper bounds in the unit of its name. */
  readonly buckets?: readonly number[];
}

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900];

/** Every metric there is, by the name that code uses; Prometheus shows it with "mooring_" in front. Labels have few values. */
export const metricDefinitions: Readonly<Record<string, MetricDefinition>> = {
  http_requests_total: {
    kind: "counter",
    help: "Requests by route and status.",
    labels: ["method", "route", "status"],
  },
  http_request_seconds: { kind: "histogram", help: "Time to answer a request.", labels: ["route"], buckets: SECONDS },
};
