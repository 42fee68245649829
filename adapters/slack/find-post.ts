import type { webApi } from "@slack/bolt";
import type { Delivery, Receipt } from "../contract/channel-adapter.ts";
import { deliveryFailure } from "./failure.ts";
import { deliveryIdIn } from "./metadata.ts";

/** An attempt came after the reply was made, whatever the clocks of two machines say. */
const CLOCKS_DIFFER_MS = 10 * 60_000;
const PAGE = 200;
const MOST_PAGES = 5;

/** Looks for the post of an earlier attempt by what was sent along with it. Needs a history scope, and says if it lacks it. */
export const findPost = async (
  client: webApi.WebClient,
  { id, reply, target }: Delivery,
): Promise<Receipt | "absent" | "cannot-tell"> => {
  const oldest = String(Math.max(0, (Date.parse(reply.createdAt) - CLOCKS_DIFFER_MS) / 1_000));
  const options = { channel: target.room, oldest, limit: PAGE, include_all_metadata: true };
  let cursor: string | undefined;
  try {
    for (let page = 0; page < MOST_PAGES; page++) {
      const at = { ...options, ...(cursor !== undefined && { cursor }) };
      const { messages = [], response_metadata } =
        target.thread === undefined
          ? await client.conversations.history(at)
          : await client.conversations.replies({ ...at, ts: target.thread });
      const found = messages.find((message) => "metadata" in message && deliveryIdIn(message.metadata) === id);
      if (found?.ts !== undefined) return { messageId: found.ts };
      cursor = response_metadata?.next_cursor || undefined;
      if (cursor === undefined) return "absent";
    }
    return "cannot-tell";
  } catch (error) {
    const failure = deliveryFailure(error);
    if (failure.reason === "forbidden" || failure.reason === "rejected") return "cannot-tell";
    throw failure;
  }
};
