import { createHash } from "node:crypto";
import { z } from "zod";
import { FileRef } from "../../../core/contract/file-ref.ts";
import { collection, keyOf } from "../../../core/contract/ports/store.ts";

/** As long as the file itself is stored. */
const TTL_MS = 7 * 24 * 3_600_000;

/** A file that a person was asked to accept. */
const Consent = z.looseObject({
  file: FileRef,
  room: z.string(),
  /** The message that asks, without the card: it stays when the card is replaced. */
  message: z.looseObject({ type: z.string() }),
});
export type Consent = z.infer<typeof Consent>;

const consents = collection("teams-consents", Consent, { ttlMs: TTL_MS });

export const consentKey = (channel: string, id: string) => keyOf(consents, channel, id);

/** The same on every attempt of a delivery. */
export const consentIdOf = (deliveryId: string): string =>
  createHash("sha256").update(deliveryId).digest("base64url").slice(0, 32);
