import type { Attachment } from "../../../../core/contract/messages/user-message.ts";
import type { FileRequests } from "../../client/file-requests.ts";
import { thumbnailOf } from "../page/thumbnail.ts";

/** Saves a file to the person's disk. */
export const saveFile = async (files: FileRequests, file: Attachment): Promise<void> => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await files.fetch(file));
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

/** By chat, then by the id of the file. */
const thumbnails = new WeakMap<FileRequests, Map<string, Promise<ImageBitmap>>>();

/** The small picture of a sent image, loaded once. */
export const sentThumbnail = (files: FileRequests, file: Attachment): Promise<ImageBitmap> => {
  const ofChat = thumbnails.get(files) ?? new Map<string, Promise<ImageBitmap>>();
  thumbnails.set(files, ofChat);
  const { id, mediaType } = file;
  const known = ofChat.get(id);
  if (known !== undefined) return known;
  const loading = files.fetch(file).then((bytes) => thumbnailOf(new Blob([bytes], { type: mediaType })));
  ofChat.set(id, loading);
  // A later view may try again, with a new token or on a better network.
  loading.catch(() => ofChat.delete(id));
  return loading;
};
