import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import type { AdapterContext } from "../../contract/adapter-context.ts";
import type { Delivery } from "../../contract/channel-adapter.ts";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";
import { type FileLimits, type ReadFile, readFiles } from "../../contract/outgoing-file.ts";
import type { OutgoingActivity } from "../api/connector.ts";
import { consentIdOf, consentKey } from "./consent-record.ts";

type TeamsAttachment = NonNullable<OutgoingActivity["attachments"]>[number];

/** In base64, such a picture fits into a message of 100 kB, at two bytes per character; a refused one becomes a link. */
const MAX_PICTURE_BYTES = 36_000;
const PICTURES: readonly string[] = ["image/png", "image/jpeg", "image/gif"];
const isPicture = (mediaType: string): boolean => PICTURES.includes(mediaType);

/** A bot can put files into the storage of a person only, so groups and channels get pictures inside the message. */
const IN_PRIVATE: FileLimits = { maxBytes: 20_000_000, maxCount: 1 };
const IN_GROUPS: FileLimits = { maxBytes: MAX_PICTURE_BYTES, maxCount: 1, accepts: isPicture };

export const fileLimitsIn = ({ kind }: Pick<Conversation, "kind">): FileLimits =>
  kind === "private" ? IN_PRIVATE : IN_GROUPS;

export const CONSENT_CARD = "application/vnd.microsoft.teams.card.file.consent";

interface SentFilesDeps extends Pick<AdapterContext, "channel" | "openFile"> {
  readonly store: Store;
}

/**
 * Adds the file of a delivery to its message: a small picture as it is, any other file as a card that asks the person to
 * accept it. Teams takes the bytes only after that.
 * https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bots-filesv4
 */
export const withFile = async (
  deps: SentFilesDeps,
  delivery: Delivery,
  activity: OutgoingActivity,
): Promise<OutgoingActivity> => {
  const [file] = await readFiles(delivery, fileLimitsIn(delivery.target));
  if (file === undefined) return activity;
  const isInline = isPicture(file.mediaType) && file.content.length <= MAX_PICTURE_BYTES;
  const attachment = isInline ? inlinePicture(file) : await consentCard(deps, delivery, activity, file);
  return { ...activity, attachments: [...(activity.attachments ?? []), attachment] };
};

const inlinePicture = ({ name, mediaType, content }: ReadFile): TeamsAttachment => ({
  contentType: mediaType,
  contentUrl: `data:${mediaType};base64,${Buffer.from(content).toString("base64")}`,
  name,
});

/** The record is stored before the card is sent, so that every card that a person sees can be accepted. */
const consentCard = async (
  { store, channel, openFile }: SentFilesDeps,
  { id, target, files = [] }: Delivery,
  message: OutgoingActivity,
  { name, content }: ReadFile,
): Promise<TeamsAttachment> => {
  const ref = files[0]?.ref;
  if (ref === undefined || openFile === undefined) {
    throw new DeliveryFailed("rejected", `"${name}" cannot be read again when the person accepts it`);
  }
  const consent = consentIdOf(id);
  await store.put(consentKey(channel, consent), {
    file: ref,
    room: target.room,
    message: { ...message, type: "message" },
  });
  const context = { consent };
  return {
    contentType: CONSENT_CARD,
    name,
    content: {
      description: `${name}, from the agent`,
      sizeInBytes: content.length,
      acceptContext: context,
      declineContext: context,
    },
  };
};
