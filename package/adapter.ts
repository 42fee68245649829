export type {
  AttachmentAdapter,
  CheckableAdapter,
  ClientSocket,
  CorkedStream,
  DirectMessageAdapter,
  EditingAdapter,
  EphemeralAdapter,
  HealthAdapter,
  MembershipAdapter,
  MovingRoomsAdapter,
  PermalinkAdapter,
  ReachAdapter,
  ReactingAdapter,
  ReconcilingAdapter,
  RefreshingAdapter,
  RoomLimitsAdapter,
  RoomMove,
  SignalAdapter,
  SocketAdapter,
  SocketRequest,
  TypingAdapter,
  UnreachableConversation,
  Webhook,
  WebhookAdapter,
  WebhookHead,
  WebhookRequest,
  WebhookResponse,
  WorkMarkingAdapter,
} from "../adapters/contract/abilities.ts";
export type { AdapterContext } from "../adapters/contract/adapter-context.ts";
export {
  type AdapterDefinition,
  defineAdapter,
  type ForeignAdapterDefinition,
} from "../adapters/contract/adapter-definition.ts";
export type {
  Accepted,
  Capabilities,
  ChannelAdapter,
  Delivery,
  Inbox,
  Receipt,
  Section,
} from "../adapters/contract/channel-adapter.ts";
export {
  type AccessRules,
  accessFields,
  channelFields,
  localeFields,
  reactionFields,
  roomAccessFields,
  streamingFields,
} from "../adapters/contract/config.ts";
export {
  DeliveryFailed,
  type DeliveryFailure,
  type FailureDetails,
  rootCause,
  wasNeverSent,
} from "../adapters/contract/delivery-failed.ts";
export { readAtMost } from "../adapters/contract/files/read-at-most.ts";
export { KeyedQueue } from "../adapters/contract/keyed-queue.ts";
export { cutToUnits } from "../adapters/contract/markdown/cut-text.ts";
export type { Measure } from "../adapters/contract/markdown/split-markdown.ts";
export { alignColumns, cellsOf, columnWidths, tableText } from "../adapters/contract/markdown/text-table.ts";
export {
  type Mark,
  type MarkdownDialect,
  MarkdownWriter,
  plainText,
} from "../adapters/contract/markdown/write-markdown.ts";
export {
  type FileLimits,
  type OutgoingFile,
  type ReadFile,
  readFiles,
} from "../adapters/contract/outgoing-file.ts";
export { pause } from "../adapters/contract/pause.ts";
export { RefusalThrottle } from "../adapters/contract/refusal-throttle.ts";
export { offeredActions, RenderFailed, renderOrFail } from "../adapters/contract/render-delivery.ts";
export { kindFor, textCommand } from "../adapters/contract/text-command.ts";
export { textFetch } from "../adapters/contract/text-fetch.ts";
export { AppError, type ErrorCode, messageOf } from "../core/contract/app-error.ts";
export { BoundedCache } from "../core/contract/bounded-cache.ts";
export type { MenuCommand } from "../core/contract/menu-command.ts";
export {
  type Activity,
  type ActivityItem,
  type AgentReply,
  type Anchor,
  activityOf,
  type ReplyAction,
} from "../core/contract/messages/agent-reply.ts";
export { type Conversation, conversationKey, sameConversation } from "../core/contract/messages/conversation.ts";
export type { UserSignal } from "../core/contract/messages/signals.ts";
export type {
  Account,
  Attachment,
  CommandLine,
  CommandMessage,
  EditMessage,
  FromPerson,
  InboundMessage,
  PersonMessage,
} from "../core/contract/messages/user-message.ts";
export { refuseIfUnwritable, type WriteAvailability, whenWritable } from "../core/contract/ports/backbone.ts";
export type { Clock, Timer } from "../core/contract/ports/clock.ts";
export type { LogFields, Logger } from "../core/contract/ports/logger.ts";
export {
  type Collection,
  collection,
  type Key,
  keyOf,
  prefixOf,
  type Store,
  type Stored,
} from "../core/contract/ports/store.ts";
export type { Labels, Meter } from "../core/contract/ports/telemetry.ts";
export { createOnce, DELETE, update } from "../core/contract/ports/update.ts";
export { Secret, type SecretRules, secret } from "../core/contract/secret.ts";
export { listed, type SetupQuestion } from "../core/contract/setup-question.ts";
export { type Texts, textsFor } from "../core/contract/texts/texts.ts";
export { errorText, ToldError } from "../core/contract/texts/told-error.ts";
