import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import type { Attachment } from "../../../core/contract/messages/user-message.ts";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";
import { readAtMost } from "../../contract/files/read-at-most.ts";
import { FileInfo } from "../payload.ts";
import type { BotApi } from "./bot-api.ts";

/** Downloads a file that a person attached; Telegram offers files of up to 20 MB. */
export const fetchFile = async (api: BotApi, { id, name }: Attachment, maxBytes: number): Promise<Uint8Array> => {
  const { file_path: path, file_size: size = 0 } = await api
    .call(FileInfo, "getFile", { file_id: id })
    .catch((error: unknown) => {
      throw fileError(error, name);
    });
  if (size > maxBytes) throw new AppError("too-large", `"${name}" has more than ${maxBytes} bytes`);
  if (path === undefined) throw new AppError("not-found", `"${name}" no longer exists`);
  if (path.startsWith("/")) {
    throw new AppError("unavailable", "files cannot be read: run your Bot API server without --local");
  }
  const response = await api.download(path).catch((error: unknown) => {
    throw new AppError("unavailable", `"${name}" could not be fetched: ${messageOf(error)}`, { cause: error });
  });
  if (response.status === 404) throw new AppError("not-found", `"${name}" no longer exists`);
  if (!response.ok || response.body === null) {
    throw new AppError("unavailable", `"${name}" could not be fetched: Telegram answers ${response.status}`);
  }
  return readAtMost(response.body, maxBytes, name);
};

const fileError = (error: unknown, name: string): AppError => {
  const why = messageOf(error);
  if (/file is too big/i.test(why))
    return new AppError("too-large", `"${name}" is larger than Telegram lets bots read`);
  const isRefused = error instanceof DeliveryFailed && error.reason === "rejected";
  return new AppError(isRefused ? "not-found" : "unavailable", `"${name}" could not be fetched: ${why}`, {
    cause: error,
  });
};
