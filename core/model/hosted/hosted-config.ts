import { z } from "zod";
import { type Secret, secret } from "../../contract/secret.ts";
import type { IdHeaders } from "./id-headers.ts";

/** The longest wait for data that Node's fetch allows. */
const MAX_IDLE_MS = 300_000;
const DEFAULT_CONTEXT_TOKENS = 128_000;

export const contextTokens = z
  .int()
  .min(1_000)
  .default(DEFAULT_CONTEXT_TOKENS)
  .describe("Context size of the model in tokens; the history is cut to fit.");

export const baseUrl = z
  .url({ protocol: /^https?$/, error: "must be an http(s) address, e.g. https://api.example.com/v1" })
  .refine((url) => {
    if (!URL.canParse(url)) return true;
    const { username, password, search, hash } = new URL(url);
    return `${username}${password}${search}${hash}` === "";
  }, "must have no credentials, query or fragment; put credentials into apiKey or headers");

/** Fetch puts an invalid header value into its error text, so invalid values are rejected here. */
export const headerValue = () =>
  secret().refine(
    (value: Secret) => /^[\x20-\x7e\xa0-\xff]+$/.test(value.reveal()),
    "is empty or has a character that HTTP headers do not allow, e.g. a line break at its end",
  );

const Timeouts = z.strictObject({
  firstTokenMs: z.int().min(1).max(MAX_IDLE_MS).default(60_000).describe("From the request to the first token."),
  idleMs: z.int().min(1).max(MAX_IDLE_MS).default(60_000).describe("Between two tokens."),
  totalMs: z.int().min(1).default(600_000).describe("For one request with its answer."),
});
export type ModelTimeouts = z.infer<typeof Timeouts>;

/** The settings of every model that is reached over HTTP, besides provider, address and key. */
export const hostedFields = {
  model: z.string().min(1).describe("Name of the model, as its server spells it."),
  headers: z
    .record(z.string().regex(/^[\w-]+$/, "must be a header name"), headerValue())
    .default({})
    .describe("Further HTTP headers of each request."),
  temperature: z.number().min(0).max(2).optional().describe("Sampling temperature; by default that of the server."),
  maxOutputTokens: z.int().min(1).optional().describe("Maximum length of an answer; by default that of the server."),
  images: z
    .boolean()
    .default(true)
    .describe(
      "Whether it gets the pictures that people send and tools return; false for a model that takes text only.",
    ),
  timeouts: Timeouts.prefault({}).describe("Timeouts of requests to the model."),
  contextTokens,
};

type HostedFields = z.infer<z.ZodObject<typeof hostedFields>>;

/** A model that is reached over HTTP. */
export interface HostedModelConfig extends HostedFields {
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey?: Secret | undefined;
  readonly idHeaders?: IdHeaders;
}
