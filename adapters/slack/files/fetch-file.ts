import type { webApi } from "@slack/bolt";
import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import type { Attachment } from "../../../core/contract/messages/user-message.ts";
import { readAtMost } from "../../contract/files/read-at-most.ts";
import { explain, slackErrorOf } from "../failure.ts";

export interface FileDeps {
  readonly client: webApi.WebClient;
  readonly token: string;
  readonly apiUrl: string;
  readonly signal: AbortSignal;
}

/** The request carries the bot token, so it may go to Slack's hosts only. */
const SLACK_HOSTS = /(^|\.)(slack\.com|slack-files\.com|slack-gov\.com)$/;

/** Downloads a file that a person attached. */
export const fetchFile = async (
  { client, token, apiUrl, signal }: FileDeps,
  { id, name, mediaType }: Attachment,
  maxBytes: number,
): Promise<Uint8Array> => {
  const url = await addressOf(client, id, name);
  if (!isOnSlack(url, apiUrl))
    throw new AppError("forbidden", `"${name}" is not on a file server of Slack, so it is not fetched`);
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, redirect: "error", signal }).catch(
    (error: unknown) => {
      throw new AppError("unavailable", `"${name}" could not be fetched: ${messageOf(error)}`, { cause: error });
    },
  );
  if (!response.ok || response.body === null)
    throw new AppError("unavailable", `"${name}" could not be fetched: Slack answers ${response.status}`);
  // Without the scope, Slack answers with its sign-in page.
  if (response.headers.get("content-type")?.startsWith("text/html") && !mediaType.startsWith("text/")) {
    throw new AppError("forbidden", "files cannot be read: add the scope files:read and reinstall the app");
  }
  return readAtMost(response.body, maxBytes, name);
};

const addressOf = async (client: webApi.WebClient, id: string, name: string): Promise<string> => {
  try {
    const { file } = await client.files.info({ file: id });
    const url = file?.url_private_download ?? file?.url_private;
    if (url === undefined) throw new AppError("not-found", `"${name}" no longer exists`);
    return url;
  } catch (error) {
    if (error instanceof AppError) throw error;
    const isMissing = ["file_not_found", "file_deleted"].includes(slackErrorOf(error) ?? "");
    throw new AppError(isMissing ? "not-found" : "unavailable", `"${name}" could not be fetched: ${explain(error)}`, {
      cause: error,
    });
  }
};

/** Whether an address may get the content or the token of this app. */
export const isOnSlack = (address: string, apiUrl: string): boolean => {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, origin } = new URL(address);
  return origin === new URL(apiUrl).origin || (protocol === "https:" && SLACK_HOSTS.test(hostname));
};
