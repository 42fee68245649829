import type { z } from "zod";
import { ButtonPress, EventEnvelope, SlashCommand } from "./payload.ts";

/** What Slack sends, over HTTP and over its socket alike. */
export type Payload =
  | { readonly kind: "event"; readonly envelope: EventEnvelope }
  | { readonly kind: "command"; readonly command: SlashCommand }
  | { readonly kind: "button"; readonly press: ButtonPress }
  | { readonly kind: "challenge"; readonly challenge: string }
  | { readonly kind: "certificate-check" }
  /** Nothing for us. Only `malformed` should not happen. */
  | { readonly kind: "other"; readonly what: string; readonly malformed: boolean };

/** The body of a request: JSON for events, a form for everything else. */
export const readBody = (body: Buffer, contentType = ""): Payload => {
  const text = body.toString("utf8");
  if (!contentType.startsWith("application/x-www-form-urlencoded")) return readPayload(fromJson(text));
  const form = Object.fromEntries(new URLSearchParams(text));
  if (form.payload !== undefined) return readPayload(fromJson(form.payload));
  return form.ssl_check === undefined ? readPayload(form) : { kind: "certificate-check" };
};

export const readPayload = (value: unknown): Payload => {
  if (typeof value !== "object" || value === null) return { kind: "other", what: "no object", malformed: true };
  const type = "type" in value ? value.type : undefined;
  if (type === "event_callback") return parsed(EventEnvelope, value, (envelope) => ({ kind: "event", envelope }));
  if (type === "block_actions") return parsed(ButtonPress, value, (press) => ({ kind: "button", press }));
  if ("command" in value) return parsed(SlashCommand, value, (command) => ({ kind: "command", command }));
  if (type === "url_verification" && "challenge" in value && typeof value.challenge === "string") {
    return { kind: "challenge", challenge: value.challenge };
  }
  return { kind: "other", what: typeof type === "string" ? type : "no type", malformed: false };
};

const parsed = <T>(schema: z.ZodType<T>, value: unknown, then: (value: T) => Payload): Payload => {
  const { success, data, error } = schema.safeParse(value);
  if (success) return then(data);
  const where = error.issues.map(({ path }) => path.join(".")).join(", ");
  return { kind: "other", what: `unexpected fields: ${where}`, malformed: true };
};

const fromJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
