import type { MetricDefinition } from "../../gateway/telemetry/metric-definitions.ts";

/** Every metric with its kind and labels. */
export const metricsPage = (definitions: Readonly<Record<string, MetricDefinition>>): string =>
  [
    "# Metrics",
    "",
    "Prometheus reads these metrics at `/metrics` of the gateway, and at `core.port` of a separate core;",
    "[observability](../observability.md#metrics) explains the access. Node's default metrics (`process_…`, `nodejs_…`) are there too.",
    "`npm run reference` writes this page from `gateway/telemetry/metric-definitions.ts`.",
    "",
    "| metric | kind | labels | meaning |",
    "| --- | --- | --- | --- |",
    ...Object.entries(definitions).map(
      ([name, { kind, labels, help }]) =>
        `| \`mooring_${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |`,
    ),
    "",
  ].join("\n");
