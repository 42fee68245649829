import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Attachment } from "../../core/contract/user-message.ts";
import type { BotToken } from "./bot-token.ts";
import type { TeamsConfig } from "./config.ts";
import { isBelow } from "./service-address.ts";

const PATIENCE_MS = 60_000;
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])$/;

export interface FetchFileParts {
  readonly config: Pick<TeamsConfig, "serviceUrls" | "fileHosts">;
  readonly token: Pick<BotToken, "get">;
}

/** The bytes of an attachment: pictures from Teams itself, with the bot's token; files from SharePoint, without. */
export const fetchFile = async (
  { name, url }: Attachment,
  maxBytes: number,
  { config, token }: FetchFileParts,
): Promise<Uint8Array> => {
  if (typeof url !== "string") throw new AppError("not-found", `"${name}" says nothing about where it is`);
  const fromTeams = isBelow(url, config.serviceUrls);
  if (!fromTeams && !isFileHost(url, config.fileHosts)) {
    throw new AppError("forbidden", `"${name}" is on a host that is not among the channel's fileHosts`);
  }
  const headers = fromTeams ? { authorization: `Bearer ${await token.get()}` } : {};
  let answer: Response;
  try {
    answer = await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (cause) {
    throw new AppError("unavailable", `"${name}" cannot be fetched: ${messageOf(cause)}`, { cause });
  }
  if (!answer.ok || answer.body === null) {
    await answer.body?.cancel();
    throw new AppError("not-found", `"${name}" is no longer there (${answer.status}); ask for it again`);
  }
  return readAtMost(answer.body, maxBytes, name);
};

const readAtMost = async (body: ReadableStream<Uint8Array>, maxBytes: number, name: string): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // leaving the loop cancels the rest
    if (size > maxBytes) throw new AppError("too-large", `"${name}" has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const isFileHost = (url: string, hosts: readonly string[]): boolean => {
  if (!URL.canParse(url)) return false;
  const { protocol, host, hostname, username } = new URL(url);
  if (username !== "" || !(protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname)))) return false;
  return hosts.some((allowed) => (allowed.startsWith("*.") ? host.endsWith(allowed.slice(1)) : host === allowed));
};
