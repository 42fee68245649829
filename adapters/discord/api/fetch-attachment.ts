import { Routes } from "discord.js";
import { AppError } from "../../../core/contract/app-error.ts";
import type { Attachment } from "../../../core/contract/messages/user-message.ts";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";
import { readAtMost } from "../../contract/files/read-at-most.ts";
import { DiscordMessage, parseAttachmentId } from "../payload.ts";
import type { RestCalls } from "./rest-calls.ts";

const FILE_HOSTS = new Set(["cdn.discordapp.com", "media.discordapp.net"]);
const TIMEOUT_MS = 60_000;

/** Downloads an attached file. It asks Discord for the address each time, because addresses expire. */
export const fetchAttachment = async (
  rest: RestCalls,
  apiUrl: string,
  attachment: Attachment,
  maxBytes: number,
): Promise<Uint8Array> => {
  const ref = parseAttachmentId(attachment.id);
  if (ref === undefined) throw new AppError("bad-input", `"${attachment.name}" is not a file from Discord`);
  const url = await addressOf(rest, ref, attachment.name);
  if (!FILE_HOSTS.has(url.host) && url.origin !== new URL(apiUrl).origin) {
    throw new AppError("forbidden", `"${attachment.name}" is not on a file server of Discord, so it is not fetched`);
  }
  const answer = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((cause) => {
    throw new AppError("unavailable", `"${attachment.name}" could not be fetched: try again later`, { cause });
  });
  if (!answer.ok || answer.body === null) {
    await answer.body?.cancel();
    throw new AppError("not-found", `"${attachment.name}" no longer exists (${answer.status})`);
  }
  return readAtMost(answer.body, maxBytes, attachment.name);
};

const addressOf = async (
  rest: RestCalls,
  { channelId, messageId, id }: { channelId: string; messageId: string; id: string },
  name: string,
): Promise<URL> => {
  const missing = (cause?: unknown) => new AppError("not-found", `"${name}" no longer exists`, { cause });
  try {
    const message = await rest.read(DiscordMessage, "get", Routes.channelMessage(channelId, messageId));
    const address = message.attachments.find((each) => each.id === id)?.url;
    if (address === undefined || !URL.canParse(address)) throw missing();
    return new URL(address);
  } catch (error) {
    if (!(error instanceof DeliveryFailed)) throw error;
    if (error.reason === "target-gone" || error.reason === "forbidden") throw missing(error);
    throw new AppError("unavailable", `"${name}" could not be fetched: ${error.message}`, { cause: error });
  }
};
