import { z } from "zod";
import { type Secret, secret } from "../../core/contract/secret.ts";

export const LogLevel = z
  .enum(["debug", "info", "warn", "error", "silent"])
  .describe("Lowest level that is logged: on stderr, as JSON lines, or as readable lines on a terminal.");
export type LogLevel = z.infer<typeof LogLevel>;

/** Access to `/metrics`, on the ports of gateway and core. */
export const MetricsConfig = z.strictObject({
  token: secret()
    .optional()
    .describe('Token that Prometheus sends as Authorization: Bearer <token>, or "sha256:" followed by its digest.'),
  public: z
    .boolean()
    .default(false)
    .describe("Allows access without a token. Metrics contain the names of tenants, agents and channels."),
});
export type MetricsConfig = z.infer<typeof MetricsConfig>;

// An invalid header value would appear in the error text of the HTTP client.
const headerValue = secret().refine(
  (value: Secret) => /^[\x20-\x7e]+$/.test(value.reveal()),
  "contains a character that HTTP headers do not allow, e.g. a line break at the end: remove it",
);

const Otlp = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL, e.g. http://127.0.0.1:4318/v1/traces" })
    .describe("Full URL that receives traces as JSON over HTTP: http://127.0.0.1:4318/v1/traces"),
  headers: z
    .record(z.string().regex(/^[\w-]+$/, "must be an HTTP header name: letters, digits, - or _"), headerValue)
    .default({})
    .describe("HTTP headers for the collector, e.g. for authentication."),
});

/** Without `otlp`, no traces are sent and OpenTelemetry is not loaded. */
export const TelemetryConfig = z.strictObject({
  otlp: Otlp.optional().describe("The collector that receives traces."),
  sampleRatio: z.number().min(0).max(1).default(1).describe("Share of traces that are sent, from 0 to 1."),
  serviceName: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .default("mooring")
    .describe("Service name of this deployment in traces."),
});
export type TelemetryConfig = z.infer<typeof TelemetryConfig>;
