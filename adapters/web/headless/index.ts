export type {
  ChatEntry,
  ChatSnapshot,
  OwnMessage,
  PendingMessage,
  Reply,
  StreamedDraft,
} from "./chat-snapshot.ts";
export { type Chat, type ChatOptions, createChat, type SendOptions } from "./create-chat.ts";
