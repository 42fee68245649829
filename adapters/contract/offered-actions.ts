import type { ReplyAction } from "../../core/contract/agent-reply.ts";
import type { Delivery } from "./channel-adapter.ts";

/** What a person can do about a message: below the last part of a reply, and below each part of a digest. */
export const offeredActions = ({ reply, part, sections }: Delivery): readonly ReplyAction[] =>
  sections !== undefined || part.index === part.count - 1 ? (reply.actions ?? []) : [];
