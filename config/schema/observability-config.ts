import { z } from "zod";
import { type Secret, secret } from "../../core/contract/secret.ts";

export const LogLevel = z
  .enum(["debug", "info", "warn", "error", "silent"])
  .describe("How much is logged, as JSON lines on stderr.");
export type LogLevel = z.infer<typeof LogLevel>;

/** Who may read `/metrics`, on the gateway's port and on that of a core on its own. */
export const MetricsConfig = z.strictObject({
  token: secret()
    .optional()
    .describe('What Prometheus sends as Authorization: Bearer <token>, or "sha256:" and its digest.'),
  public: z.boolean().default(false).describe("Lets everybody read them. They name tenants, agents and channels."),
});
export type MetricsConfig = z.infer<typeof MetricsConfig>;

// A value that is no header would stand in the text of an error.
const headerValue = secret().refine(
  (value: Secret) => /^[\x20-\x7e]+$/.test(value.reveal()),
  "has a character that no HTTP header takes, e.g. a line break at its end",
);

const Otlp = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: "is no http(s) address, e.g. http://127.0.0.1:4318/v1/traces" })
    .describe("Where traces are sent, as JSON over HTTP, with the whole path: http://127.0.0.1:4318/v1/traces"),
  headers: z
    .record(z.string().regex(/^[\w-]+$/, "is no header name"), headerValue)
    .default({})
    .describe("What the collector wants to know who sends, by the header's name."),
});

/** Without `otlp` there are no traces, and nothing of OpenTelemetry is loaded. */
export const TelemetryConfig = z.strictObject({
  otlp: Otlp.optional().describe("The collector that traces go to."),
  sampleRatio: z.number().min(0).max(1).default(1).describe("Which part of all traces is sent, from 0 to 1."),
  serviceName: z.string().trim().min(1).max(100).default("mooring").describe("What this deployment is called there."),
});
export type TelemetryConfig = z.infer<typeof TelemetryConfig>;
