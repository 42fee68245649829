import { z } from "zod";
import { type Secret, secret } from "../contract/secret.ts";

/** The longest silence that Node's fetch allows. */
const MAX_SILENCE_MS = 300_000;
const DEFAULT_CONTEXT_TOKENS = 128_000;

/** How much the model can read at once: the history is cut to fit. */
export const contextTokens = z.int().min(1_000).default(DEFAULT_CONTEXT_TOKENS);

export const baseUrl = z
  .url({ protocol: /^https?$/, error: "is no http(s) address, e.g. https://api.example.com/v1" })
  .refine((url) => {
    if (!URL.canParse(url)) return true;
    const { username, password, search, hash } = new URL(url);
    return `${username}${password}${search}${hash}` === "";
  }, "must have no credentials, query or fragment; put credentials into apiKey or headers");

/** Fetch puts an invalid header value into its error text, so invalid values are rejected here. */
export const headerValue = () =>
  secret().refine(
    (value: Secret) => /^[\x20-\x7e\xa0-\xff]+$/.test(value.reveal()),
    "is empty or has a character that no HTTP header takes, e.g. a line break at its end",
  );

const Timeouts = z.strictObject({
  /** From the request to the first token. */
  firstTokenMs: z.int().min(1).max(MAX_SILENCE_MS).default(60_000),
  /** Between two tokens. */
  idleMs: z.int().min(1).max(MAX_SILENCE_MS).default(60_000),
  totalMs: z.int().min(1).default(600_000),
});
export type ModelTimeouts = z.infer<typeof Timeouts>;

/** The settings of every model that is reached over HTTP, besides provider, address and key. */
export const hostedFields = {
  model: z.string().min(1),
  headers: z.record(z.string().regex(/^[\w-]+$/, "is no header name"), headerValue()).default({}),
  temperature: z.number().min(0).max(2).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  timeouts: Timeouts.prefault({}),
  contextTokens,
};

type HostedFields = z.infer<z.ZodObject<typeof hostedFields>>;

/** A model that is reached over HTTP. */
export interface HostedModelConfig extends HostedFields {
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey?: Secret | undefined;
}
