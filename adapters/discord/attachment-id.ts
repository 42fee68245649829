/** Addresses of files expire within a day, so an attachment is named by where it hangs. */
export interface AttachmentPlace {
  readonly channelId: string;
  readonly messageId: string;
  readonly id: string;
}

export const attachmentId = ({ channelId, messageId, id }: AttachmentPlace): string =>
  `${channelId}/${messageId}/${id}`;

export const attachmentPlace = (spelled: string): AttachmentPlace | undefined => {
  const [, channelId, messageId, id] = /^(\d+)\/(\d+)\/(\d+)$/.exec(spelled) ?? [];
  return channelId && messageId && id ? { channelId, messageId, id } : undefined;
};
