import { z } from "zod";

/** Half a character is in no id, and in no address that is made of one. */
const Id = z
  .string()
  .min(1)
  .max(1_000)
  .refine((id) => id.isWellFormed());
/** The platform leaves fields out, or sends null for them. */
const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);
/** What is only nice to have never makes an activity unreadable. */
const lenient = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

const ChannelAccount = z.looseObject({
  id: Id,
  name: lenient(z.string()),
  aadObjectId: lenient(Id),
  role: lenient(z.string()),
});

const Mention = z.looseObject({
  type: z.literal("mention"),
  mentioned: z.looseObject({ id: Id, name: lenient(z.string()) }),
  text: z.string().min(1),
});
export type Mention = z.infer<typeof Mention>;

export const SentAttachment = z.looseObject({
  contentType: z.string(),
  contentUrl: lenient(z.string()),
  name: lenient(z.string()),
  content: z.unknown().optional(),
});
export type SentAttachment = z.infer<typeof SentAttachment>;

/** A list of which only what can be understood is kept. */
const readable = <T>(schema: z.ZodType<T>) =>
  z
    .array(z.unknown())
    .nullish()
    .catch(undefined)
    .transform((items) =>
      (items ?? []).flatMap((item): T[] => {
        const read = schema.safeParse(item);
        return read.success ? [read.data] : [];
      }),
    );

/** What Teams posts, as far as this adapter reads it. */
export const Activity = z.looseObject({
  type: z.string().min(1),
  id: optional(Id),
  channelId: z.literal("msteams"),
  serviceUrl: z.string().min(1),
  timestamp: lenient(z.string()),
  locale: lenient(z.string()),
  localTimezone: lenient(z.string()),
  conversation: z.looseObject({
    id: Id,
    conversationType: lenient(z.enum(["personal", "groupChat", "channel"])),
    tenantId: lenient(z.string()),
  }),
  from: optional(ChannelAccount),
  recipient: optional(ChannelAccount),
  text: lenient(z.string()),
  value: z.unknown().optional(),
  replyToId: lenient(Id),
  action: lenient(z.string()),
  entities: readable(Mention),
  attachments: readable(SentAttachment),
  membersAdded: readable(ChannelAccount),
  membersRemoved: readable(ChannelAccount),
  channelData: z
    .looseObject({
      tenant: lenient(z.looseObject({ id: z.string() })),
      team: lenient(z.looseObject({ id: lenient(Id), aadGroupId: lenient(Id) })),
      channel: lenient(z.looseObject({ id: lenient(Id) })),
    })
    .nullish()
    .transform((value) => value ?? {}),
});
export type Activity = z.infer<typeof Activity>;
