import { z } from "zod";

/** Only what is used is described; Slack adds fields at any time. */
const Id = z
  .string()
  .min(1)
  .max(100)
  // Half a character is in no id, and no conversation could be named by it.
  .refine((id) => id.isWellFormed());
const Timestamp = z.string().regex(/^\d{1,12}\.\d{1,9}$/);

export const SlackFile = z.looseObject({
  id: Id,
  name: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().int().nonnegative().nullish(),
});

export const MessageEvent = z.looseObject({
  type: z.enum(["message", "app_mention"]),
  subtype: z.string().optional(),
  channel: Id,
  channel_type: z.string().optional(),
  user: Id.optional(),
  bot_id: z.string().nullish(),
  /** The workspace of the author: in a shared channel it can be another one. */
  team: z.string().nullish(),
  user_team: z.string().nullish(),
  source_team: z.string().nullish(),
  text: z.string().nullish(),
  ts: Timestamp,
  thread_ts: Timestamp.optional(),
  parent_user_id: z.string().optional(),
  edited: z.unknown().optional(),
  files: z.array(z.unknown()).optional(),
});
export type MessageEvent = z.infer<typeof MessageEvent>;

export const EventEnvelope = z.looseObject({
  type: z.literal("event_callback"),
  team_id: z.string().nullish(),
  enterprise_id: z.string().nullish(),
  event_id: z.string().optional(),
  /** People of other workspaces are in the channel too. */
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
