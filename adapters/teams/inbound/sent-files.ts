import { z } from "zod";
import type { Attachment } from "../../../core/contract/messages/user-message.ts";
import type { SentAttachment } from "./activity.ts";

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
