import { createHash } from "node:crypto";
import { offeredActions } from "mooring/adapter";

/** A note has at most 2,000 characters. Its footer is apart, so an anchor takes no room. */
export const MAX_NOTE_LENGTH = 2_000;
/** Each "@" may get a character more. */
export const MAX_PART_LENGTH = 1_000;

/**
 * The note that shows a delivery. Paper has no mark-up: markdown is readable as it is.
 * @param {import("mooring/adapter").Delivery} delivery
 */
export const renderNote = (delivery) => ({
  text: withoutMentions(delivery.part.markdown),
  ...(delivery.anchor && { footer: withoutMentions(delivery.anchor.text) }),
  buttons: offeredActions(delivery).map(({ label, name, value = "" }) => ({ label, name, value })),
});

/**
 * "@" notifies people; with a word joiner after it, it is plain text.
 * @param {string} text
 */
const withoutMentions = (text) => text.replaceAll("@", "@\u2060");

/**
 * Paper takes a key of at most 64 characters with a note, and finds notes by it.
 * @param {string} deliveryId
 */
export const keyOf = (deliveryId) => createHash("sha256").update(deliveryId).digest("hex");
