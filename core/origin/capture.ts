import type { ReplyOrigin } from "../contract/reply-origin.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { summarisePrompt } from "../lib/index.ts";

/** Once, at intake, per turn: everything that comes of this message inherits it (O2). */
export const captureOrigin = (message: UserMessage, sessionId: string): ReplyOrigin => ({
  channel: message.conversation.channel,
  promptSummary: summarisePrompt(message.text),
  startedAt: message.sentAt,
  sessionId,
  ...(message.link !== undefined && { link: message.link }),
  ...(message.messageId !== undefined && { messageId: message.messageId }),
});
