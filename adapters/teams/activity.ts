import { z } from "zod";
import type { Attachment } from "../../core/contract/messages/user-message.ts";

/** A lone surrogate occurs in no id and cannot be part of a URL. */
const Id = z
  .string()
  .min(1)
  .max(1_000)
  .refine((id) => id.isWellFormed());
/** Teams omits fields or sends null for them. */
const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);
/** A malformed optional field never makes an activity unreadable. */
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

/** A list without its malformed items. */
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

/** The fields in use of an activity. */
export const Activity = z.looseObject({
  type: z.string().min(1),
  name: lenient(z.string()),
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

const Envelope = z.looseObject({
  channelId: z.literal("msteams"),
  serviceUrl: z.string(),
  conversation: z.looseObject({ tenantId: z.string().nullish() }).nullish(),
  channelData: z.looseObject({ tenant: z.looseObject({ id: z.string() }).nullish() }).nullish(),
});

export const readBody = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
};

/**
 * Checks that an activity matches its token: from Teams, from the token's service address, and of our tenant. The token
 * does not name the tenant, so an activity without one is refused.
 */
export const isForThisBot = (
  json: unknown,
  { serviceUrl, tenantId }: { serviceUrl: string; tenantId: string },
): boolean => {
  const envelope = Envelope.safeParse(json);
  if (!envelope.success || envelope.data.serviceUrl !== serviceUrl) return false;
  const { channelData, conversation } = envelope.data;
  const named = [channelData?.tenant?.id, conversation?.tenantId].filter((id) => id != null);
  return named.length > 0 && named.every((id) => id.toLowerCase() === tenantId.toLowerCase());
};

const MENTION = /<at(?:\s[^<>]*)?>[^<>]*<\/at>/gi;

/** The text without Teams' mark-up around mentions. Drops mentions of the bot and keeps the others. */
export const messageText = ({ text = "", entities }: Pick<Activity, "text" | "entities">, botId: string): string => {
  const mentions = new Map(entities.map((mention) => [mention.text, mention]));
  // One pass for all mentions, so that a name that contains a mention is not replaced again.
  const named = text.replace(MENTION, (source) => {
    const mention = mentions.get(source);
    return mention === undefined ? source : shownAs(mention, botId);
  });
  return unescaped(named.replace(/<\/?at(?:\s[^<>]*)?>/gi, ""))
    .replace(/[^\S\n]{2,}/g, " ")
    .trim();
};

export const isMentioned = ({ entities }: Pick<Activity, "entities">, botId: string): boolean =>
  entities.some(({ mentioned }) => mentioned.id === botId);

const shownAs = ({ mentioned, text }: Mention, botId: string): string =>
  mentioned.id === botId ? " " : `@${mentioned.name ?? text.replace(/<[^<>]*>/g, "")}`;

const ENTITIES: Readonly<Record<string, string>> = {
  "&nbsp;": " ",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
};

/** One pass, so that "&amp;lt;" becomes the "&lt;" that the person typed. UTF-8 cannot encode a lone surrogate. */
const unescaped = (text: string): string =>
  text
    .replace(/&(?:nbsp|lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll("\u00a0", " ")
    .replace(/\p{Surrogate}/gu, "\ufffd");

const FILE = "application/vnd.microsoft.teams.file.download.info";
const FileInfo = z.looseObject({
  downloadUrl: z.string(),
  uniqueId: z.string().optional(),
  fileType: z.string().optional(),
});

/** The files and pictures of a message. Teams also sends its HTML copy, quotes and cards as attachments; they are skipped. */
export const sentFiles = (attachments: readonly SentAttachment[]): Attachment[] =>
  attachments.flatMap((attachment, index): Attachment[] => {
    const { contentType, contentUrl, name } = attachment;
    if (contentType === FILE) {
      const file = FileInfo.safeParse(attachment.content);
      if (!file.success) return [];
      const { downloadUrl, uniqueId, fileType } = file.data;
      const id = uniqueId || String(index);
      return [{ id, name: name ?? `file.${fileType ?? "bin"}`, mediaType: mediaTypeOf(fileType), url: downloadUrl }];
    }
    if (!/^(image|audio|video)\//.test(contentType) || contentUrl === undefined) return [];
    return [
      {
        id: String(index),
        name: name ?? contentType.split("/", 1)[0] ?? "file",
        mediaType: contentType,
        url: contentUrl,
      },
    ];
  });

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ["csv", "text/csv"],
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["gif", "image/gif"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["json", "application/json"],
  ["md", "text/markdown"],
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  ["txt", "text/plain"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
]);

const mediaTypeOf = (fileType = ""): string => MEDIA_TYPES.get(fileType.toLowerCase()) ?? "application/octet-stream";
