import type { types } from "@slack/bolt";
import { z } from "zod";

const EVENT_TYPE = "mooring_delivery";

/** Goes with every post, unseen by people, so that a post whose answer was lost can be found again. */
export const metadataOf = (deliveryId: string): types.MessageMetadata => ({
  event_type: EVENT_TYPE,
  event_payload: { id: deliveryId },
});

const Marked = z.looseObject({
  event_type: z.literal(EVENT_TYPE),
  event_payload: z.looseObject({ id: z.string() }),
});

export const deliveryIdIn = (metadata: unknown): string | undefined =>
  Marked.safeParse(metadata).data?.event_payload.id;
