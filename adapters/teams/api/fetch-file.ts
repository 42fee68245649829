import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import type { Attachment } from "../../../core/contract/messages/user-message.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { readAtMost } from "../../contract/files/read-at-most.ts";
import type { TeamsConfig } from "../config.ts";
import type { BotToken } from "./bot-token.ts";
import { isBelow } from "./calls.ts";

const TIMEOUT_MS = 60_000;
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])$/;
/** The path of pictures. Any other path could make the bot read something else with its token. */
const PICTURE = /\/v3\/attachments\/[\w.~-]+\/views\/[\w.~-]+$/;

export interface FetchFileDeps {
  readonly config: Pick<TeamsConfig, "serviceUrls" | "fileHosts">;
  readonly token: Pick<BotToken, "get" | "forget">;
  readonly clock: Pick<Clock, "after">;
}

/** Downloads an attachment: pictures from Teams with the bot's token, files from SharePoint without it. */
export const fetchFile = async (
  { name, url }: Attachment,
  maxBytes: number,
  { config, token, clock }: FetchFileDeps,
): Promise<Uint8Array> => {
  if (typeof url !== "string") throw new AppError("not-found", `"${name}" has no download address`);
  const fromTeams = isPicture(url, config.serviceUrls);
  if (!fromTeams && !isFileAddress(url, config.fileHosts)) {
    throw new AppError(
      "forbidden",
      `"${name}" is neither on a file server of Teams nor on one of the channel's fileHosts`,
    );
  }
  const headers = fromTeams ? { authorization: `Bearer ${await token.get()}` } : {};
  const late = new AbortController();
  const timer = clock.after(TIMEOUT_MS, () => late.abort(new Error("timed out")));
  try {
    const answer = await fetch(url, { headers, redirect: "error", signal: late.signal }).catch((cause: unknown) => {
      throw new AppError("unavailable", `"${name}" cannot be fetched: ${messageOf(cause)}`, { cause });
    });
    if (fromTeams && answer.status === 401) token.forget();
    if (answer.ok && answer.body !== null) return await readAtMost(answer.body, maxBytes, name);
    await answer.body?.cancel();
    throw refusalOf(answer.status, name);
  } finally {
    timer.cancel();
  }
};

const refusalOf = (status: number, name: string): AppError =>
  status === 401 || status === 429 || status >= 500
    ? new AppError("unavailable", `"${name}" cannot be fetched now (${status}); try again later`)
    : new AppError("not-found", `"${name}" no longer exists (${status}); ask for it again`);

const isPicture = (url: string, serviceUrls: readonly string[]): boolean =>
  isBelow(url, serviceUrls) && PICTURE.test(new URL(url).pathname);

/** Whether an address is on a file server of Teams. */
export const isFileAddress = (url: string, hosts: readonly string[]): boolean => {
  if (!URL.canParse(url)) return false;
  const { protocol, host, hostname, username } = new URL(url);
  if (username !== "" || !(protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname)))) return false;
  return hosts.some((allowed) => (allowed.startsWith("*.") ? host.endsWith(allowed.slice(1)) : host === allowed));
};
