import type { Conversation } from "../contract/conversation.ts";

/** A conversation in which a reply is to be shown. */
export interface Target {
  readonly conversation: Conversation;
  /** Quiet hours: not before this moment (milliseconds since 1970), and then in a digest with the rest (D2). */
  readonly holdUntil?: number;
}
