import { z } from "zod";
import { messageOf } from "../../../core/contract/app-error.ts";
import type { FileRef } from "../../../core/contract/file-ref.ts";
import { type Texts, textsFor } from "../../../core/contract/texts/texts.ts";
import type { WebhookResponse } from "../../contract/abilities.ts";
import type { AdapterContext } from "../../contract/adapter-context.ts";
import type { Activity } from "../activity.ts";
import type { OutgoingActivity } from "../api/connector.ts";
import { isFileAddress } from "../api/fetch-file.ts";
import type { TeamsConfig } from "../config.ts";
import { conversationOf } from "../inbound.ts";
import { escapeXml } from "../markdown.ts";
import { type Consent, consentKey } from "./consent-record.ts";

const UPLOAD_MS = 60_000;
const INFO_CARD = "application/vnd.microsoft.teams.card.file.info";

const Consented = z.looseObject({
  action: z.enum(["accept", "decline"]),
  context: z.looseObject({ consent: z.string().regex(/^[\w-]{32}$/) }),
  uploadInfo: z
    .looseObject({
      name: z.string().max(300),
      uploadUrl: z.string().max(4_000),
      contentUrl: z.string().max(4_000),
      uniqueId: z.string().max(300),
      fileType: z.string().max(50),
    })
    .optional(),
});
type Consented = z.infer<typeof Consented>;

export interface ConsentDeps {
  readonly config: Pick<TeamsConfig, "fileHosts">;
  readonly context: AdapterContext;
  /** Replaces the card that asked. */
  replaceCard(activity: Activity, card: OutgoingActivity): Promise<void>;
}

/** An answer that Teams shows as an error, so that the person can press again. */
const FAILED: WebhookResponse = { status: 500 };

/**
 * Handles the answer to a consent card: uploads the accepted file and replaces the card with the file. Both steps can be
 * repeated, so a crash in between loses nothing and shows nothing twice.
 */
export const answerConsent = async (activity: Activity, deps: ConsentDeps): Promise<WebhookResponse> => {
  if (activity.name !== "fileConsent/invoke") return { status: 501 };
  const consented = Consented.safeParse(activity.value);
  if (!consented.success) return { status: 400 };
  const { context } = deps;
  const texts = textsFor(activity.locale).files.consent;
  const { id: accountId, aadObjectId = accountId } = activity.from ?? { id: "" };
  const key = consentKey(context.channel, consented.data.context.consent);
  try {
    const known = (await context.store.get(key))?.value;
    const isTheirs = known?.room === conversationOf(activity, context.channel).room;
    const isAllowed = isTheirs && context.isBlocked?.(aadObjectId) !== true;
    const card = known && isAllowed ? await answered(deps, consented.data, known, texts) : textCard(texts.gone);
    await deps.replaceCard(activity, card);
    return { status: 200 };
  } catch (error) {
    context.logger.warn({ error: messageOf(error) }, "accepted file could not be uploaded");
    return FAILED;
  }
};

const answered = async (
  deps: ConsentDeps,
  { action, uploadInfo }: Consented,
  { file, message }: Consent,
  texts: Texts["files"]["consent"],
): Promise<OutgoingActivity> => {
  if (action === "decline") return withText(message, texts.declined(file.name));
  if (uploadInfo === undefined) throw new Error("Teams named no address for the upload");
  const content = await contentOf(deps.context, file);
  if (content === undefined) return withText(message, texts.goneNamed(file.name));
  await upload(deps, uploadInfo.uploadUrl, content);
  const { name, contentUrl, uniqueId, fileType } = uploadInfo;
  const attachment = { contentType: INFO_CARD, contentUrl, name, content: { uniqueId, fileType } };
  const { attachments = [], ...rest } = message as Partial<OutgoingActivity>;
  return { ...rest, type: "message", attachments: [...attachments, attachment] };
};

const contentOf = async ({ openFile }: AdapterContext, file: FileRef): Promise<Buffer | undefined> => {
  const pieces = await openFile?.(file);
  if (pieces === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of pieces) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** The address comes with the request, so only file servers of Teams are used, and without the bot's token. */
const upload = async ({ config, context }: ConsentDeps, url: string, content: Buffer): Promise<void> => {
  if (!isFileAddress(url, config.fileHosts)) throw new Error("the upload address is not on one of the fileHosts");
  const late = new AbortController();
  const timer = context.clock.after(UPLOAD_MS, () => late.abort(new Error("timed out")));
  try {
    const headers = {
      "content-type": "application/octet-stream",
      "content-range": `bytes 0-${content.length - 1}/${content.length}`,
    };
    const stored = await fetch(url, { method: "PUT", headers, body: content, redirect: "error", signal: late.signal });
    await stored.body?.cancel();
    if (!stored.ok) throw new Error(`the file server answered ${stored.status}`);
  } finally {
    timer.cancel();
  }
};

/** The message that asked, with a line instead of its card. */
const withText = (message: Consent["message"], line: string): OutgoingActivity => {
  const { text = "", ...rest } = message as Partial<OutgoingActivity>;
  const whole = [text, escapeXml(line)].filter((each) => each !== "").join("<br/>");
  return { ...rest, type: "message", textFormat: "xml", text: whole };
};

const textCard = (text: string): OutgoingActivity => ({ type: "message", textFormat: "xml", text: escapeXml(text) });
