export {
  type Chat,
  type ChatEntry,
  type ChatOptions,
  type ChatSnapshot,
  createChat,
  type OwnMessage,
  type PendingMessage,
  type Reply,
  type SendOptions,
  type StreamedDraft,
} from "../adapters/web/headless/index.ts";
