import type { types, webApi } from "@slack/bolt";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";
import type { FileLimits, ReadFile } from "../../contract/outgoing-file.ts";
import { deliveryFailure } from "../failure.ts";
import { escapeMrkdwn, linkTo } from "../mrkdwn.ts";
import type { SlackPost } from "../render.ts";
import { isOnSlack } from "./fetch-file.ts";

/** Slack accepts 1 GB, but a whole file is in memory here. */
export const FILE_LIMITS: FileLimits = { maxBytes: 20 * 1024 * 1024, maxCount: 10 };

/**
 * Uploads files without showing them anywhere, and adds their links to the post: Slack then shows the files below that
 * one message. A failed or repeated attempt therefore shows nothing twice.
 * https://docs.slack.dev/messaging/working-with-files
 */
export const withFiles = async (
  client: webApi.WebClient,
  apiUrl: string,
  post: SlackPost,
  files: readonly ReadFile[],
): Promise<SlackPost> => {
  const links: string[] = [];
  for (const file of files) links.push(linkTo(await upload(client, apiUrl, file), escapeMrkdwn(file.name)));
  const block: types.SectionBlock = { type: "section", text: { type: "mrkdwn", text: links.join("\n") } };
  if (post.blocks.length === 0) return { ...post, text: [post.text, ...links].join("\n") };
  return { ...post, blocks: [...post.blocks, block] };
};

/** The permalink of the uploaded file. Nothing is visible yet, so no failure is "unknown". */
const upload = async (client: webApi.WebClient, apiUrl: string, { name, content }: ReadFile): Promise<string> => {
  try {
    const { upload_url: url = "", file_id: id = "" } = await client.files.getUploadURLExternal({
      filename: name,
      length: content.length,
    });
    if (!isOnSlack(url, apiUrl)) throw new DeliveryFailed("rejected", `Slack named a foreign address for "${name}"`);
    const stored = await fetch(url, { method: "POST", body: Buffer.from(content), redirect: "error" });
    if (!stored.ok) throw new DeliveryFailed("unavailable", `Slack did not store "${name}" (${stored.status})`);
    const { files } = await client.files.completeUploadExternal({ files: [{ id, title: name }] });
    const link = files?.[0]?.permalink;
    if (link === undefined) throw new DeliveryFailed("unavailable", `Slack returned no link to "${name}"`);
    return link;
  } catch (error) {
    const failure = deliveryFailure(error);
    throw failure.reason === "unknown" ? new DeliveryFailed("unavailable", failure.message, { cause: error }) : failure;
  }
};
