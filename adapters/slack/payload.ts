import { z } from "zod";

/** The schemas describe only the fields in use; Slack adds fields at any time. */
const Id = z
  .string()
  .min(1)
  .max(100)
  // A lone surrogate occurs in no id and cannot be part of a key.
  .refine((id) => id.isWellFormed());
const Timestamp = z.string().regex(/^\d{1,12}\.\d{1,9}$/);

export const SlackFile = z.looseObject({
  id: Id,
  name: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().int().nonnegative().nullish(),
});

/** A message that a person forwarded. The preview of a pasted link has `is_msg_unfurl` instead of `is_share`. */
export const SharedMessage = z.looseObject({
  is_share: z.literal(true),
  /** It is from a private conversation. */
  private_channel_prompt: z.boolean().optional().catch(true),
  text: z.string().min(1),
  author_name: z.string().optional().catch(undefined),
  ts: z.union([z.string(), z.number()]).optional().catch(undefined),
});

export const MessageEvent = z.looseObject({
  type: z.enum(["message", "app_mention"]),
  subtype: z.string().optional(),
  channel: Id,
  channel_type: z.string().optional(),
  user: Id.optional(),
  bot_id: z.string().nullish(),
  /** The author's workspace: in a shared channel it can be another one. */
  team: z.string().nullish(),
  user_team: z.string().nullish(),
  source_team: z.string().nullish(),
  text: z.string().nullish(),
  ts: Timestamp,
  thread_ts: Timestamp.optional(),
  parent_user_id: z.string().optional(),
  edited: z.unknown().optional(),
  files: z.array(z.unknown()).optional(),
  attachments: z.array(z.unknown()).optional().catch(undefined),
});
export type MessageEvent = z.infer<typeof MessageEvent>;

export const EventEnvelope = z.looseObject({
  type: z.literal("event_callback"),
  team_id: z.string().nullish(),
  enterprise_id: z.string().nullish(),
  event_id: z.string().optional(),
  /** The channel is shared with other workspaces. */
  is_ext_shared_channel: z.boolean().optional().catch(undefined),
  authorizations: z
    .array(z.looseObject({ team_id: z.string().nullish(), enterprise_id: z.string().nullish() }))
    .nullish(),
  event: z.looseObject({ type: z.string() }),
});
export type EventEnvelope = z.infer<typeof EventEnvelope>;

export const SlashCommand = z.looseObject({
  command: z.string().startsWith("/"),
  text: z.string().default(""),
  user_id: Id,
  user_name: z.string().optional(),
  team_id: Id,
  enterprise_id: z.string().optional(),
  channel_id: Id,
  channel_name: z.string().default(""),
  trigger_id: Id,
});
export type SlashCommand = z.infer<typeof SlashCommand>;

export const ButtonPress = z.looseObject({
  type: z.literal("block_actions"),
  team: z.looseObject({ id: Id }).nullish(),
  enterprise: z.looseObject({ id: Id }).nullish(),
  user: z.looseObject({ id: Id, username: z.string().optional(), team_id: z.string().nullish() }),
  channel: z.looseObject({ id: Id }),
  container: z.looseObject({ message_ts: Timestamp, thread_ts: Timestamp.optional() }),
  message: z.looseObject({ thread_ts: Timestamp.optional() }).nullish(),
  actions: z
    .array(
      z.looseObject({
        action_id: z.string(),
        value: z.string().optional(),
        action_ts: Timestamp,
      }),
    )
    .min(1),
});
export type ButtonPress = z.infer<typeof ButtonPress>;

/** Everything that Slack sends, over HTTP or over its socket. */
export type Payload =
  | { readonly kind: "event"; readonly envelope: EventEnvelope }
  | { readonly kind: "command"; readonly command: SlashCommand }
  | { readonly kind: "button"; readonly press: ButtonPress }
  | { readonly kind: "challenge"; readonly challenge: string }
  | { readonly kind: "certificate-check" }
  /** Ignored; `malformed` is worth a warning. */
  | { readonly kind: "other"; readonly what: string; readonly malformed: boolean };

/** Reads a request body: JSON for events, a form for everything else. */
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
