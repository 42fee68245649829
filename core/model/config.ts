import { z } from "zod";
import { type Secret, secret } from "../contract/secret.ts";

/** The longest wait for bytes that Node's fetch allows by itself. */
const LONGEST_SILENCE_MS = 300_000;
const DEFAULT_CONTEXT_TOKENS = 128_000;

const baseUrl = z
  .url({ protocol: /^https?$/, error: "is no http(s) address, e.g. https://api.example.com/v1" })
  .refine((url) => {
    if (!URL.canParse(url)) return true;
    const { username, password, search, hash } = new URL(url);
    return `${username}${password}${search}${hash}` === "";
  }, "must have no credentials, query or fragment; put credentials into apiKey or headers");

// fetch puts a value that is no header into the text of its error, so such a value is stopped here.
const headerValue = () =>
  secret().refine(
    (value: Secret) => /^[\x20-\x7e\xa0-\xff]+$/.test(value.reveal()),
    "is empty or has a character that no HTTP header takes, e.g. a line break at its end",
  );

const Timeouts = z.strictObject({
  /** From the request to the first token. */
  firstTokenMs: z.int().min(1).max(LONGEST_SILENCE_MS).default(60_000),
  /** Between two tokens. */
  idleMs: z.int().min(1).max(LONGEST_SILENCE_MS).default(60_000),
  totalMs: z.int().min(1).default(600_000),
});
export type ModelTimeouts = z.infer<typeof Timeouts>;

const hosted = {
  model: z.string().min(1),
  headers: z.record(z.string().regex(/^[\w-]+$/, "is no header name"), headerValue()).default({}),
  temperature: z.number().min(0).max(2).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  timeouts: Timeouts.prefault({}),
  /** How much the model can read at once: the history is cut to fit. */
  contextTokens: z.int().min(1_000).default(DEFAULT_CONTEXT_TOKENS),
};

const OpenAiCompatible = z.strictObject({
  provider: z.literal("openai-compatible"),
  /** With the version in its path: requests go to <baseUrl>/chat/completions. */
  baseUrl,
  /** Servers on the own machine often want none. */
  apiKey: headerValue().optional(),
  ...hosted,
});

const Anthropic = z.strictObject({
  provider: z.literal("anthropic"),
  /** Requests go to <baseUrl>/messages. */
  baseUrl: baseUrl.default("https://api.anthropic.com/v1"),
  apiKey: headerValue(),
  ...hosted,
});

const Demo = z.strictObject({
  provider: z.literal("demo"),
  /** Between two words, so that streaming can be watched. */
  pauseMs: z.int().min(0).max(10_000).default(0),
  /** How long each step of a subtask takes, so that its progress can be watched. */
  workMs: z.int().min(0).max(60_000).default(1_500),
  contextTokens: z.int().min(1_000).default(DEFAULT_CONTEXT_TOKENS),
});

export const ModelConfig = z.union([
  z.literal("demo").transform(() => Demo.parse({ provider: "demo" })),
  z.discriminatedUnion("provider", [Demo, OpenAiCompatible, Anthropic]),
]);
export type ModelConfig = z.infer<typeof ModelConfig>;

export type DemoModelConfig = z.infer<typeof Demo>;
/** A model that is reached over HTTP. */
export type HostedModelConfig = Exclude<ModelConfig, DemoModelConfig>;
