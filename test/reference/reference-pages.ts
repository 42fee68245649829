import { configJsonSchema } from "../../config/schema/json-schema.ts";
import { metricDefinitions } from "../../gateway/telemetry/metric-definitions.ts";
import { configurationPage, type Schema } from "./configuration-page.ts";
import { metricsPage } from "./metrics-page.ts";

/** The generated pages by path. */
export const referencePages = (): Readonly<Record<string, string>> => ({
  "docs/reference/configuration.md": configurationPage(configJsonSchema() as Schema),
  "docs/reference/metrics.md": metricsPage(metricDefinitions),
});
