import type { ChannelAdapter, Inbox } from "../../adapters/contract/channel-adapter.ts";

/** Starts an adapter and a local copy of its platform. The same steps must give the same platform ids each time. */
export type MakeHarness = (options: HarnessOptions) => Promise<ChannelHarness>;

export interface HarnessOptions {
  readonly channel: string;
  /** all: in shared rooms the agent also reads messages that do not mention it. Defaults to "mentions". */
  readonly listens?: "mentions" | "all";
}

/** An adapter and a local copy of its platform, for the contract suite. */
export interface ChannelHarness {
  /** The adapter under test; `restart` replaces it. */
  readonly adapter: ChannelAdapter;
  /** The kinds of conversations on this platform. If there is only one, it is private. */
  readonly kinds: readonly ConversationKind[];
  readonly platform: PlatformFeatures;
  /** Texts that this platform would interpret as a mention of everyone, and as an anchor. */
  readonly hostile: { readonly massMention: string; readonly anchor: string };
  /** The delay that the platform requests while it is "rate-limited". */
  readonly retryAfterMs: number;
  /** Contents by id, for an adapter that reads files after their delivery (`AdapterContext.openFile`). */
  readonly storedFiles?: Map<string, Uint8Array>;
  /** Starts the adapter and the server of its webhooks or sockets. */
  start(inbox: Inbox): Promise<void>;
  /** Replaces the adapter, as after a crash, by a new one on the same platform and store. */
  restart(inbox: Inbox): Promise<void>;
  /**
   * A person, or a bot, writes. Resolves once the platform has its acknowledgement or refusal, or will not get one. It
   * does not wait for a message of a bot, or for one without a mention, on a platform without acknowledgements.
   */
  userSays(said: Said): Promise<Answer>;
  /** A person changes the text of the message with this `event`. Called only if the platform has `edits`. */
  userEdits(edit: Said & { readonly event: string }): Promise<void>;
  /** A person presses a button of the bot's message. Called only if the platform has `buttons`. */
  press(press: Press): Promise<Answer>;
  /**
   * A stranger sends what a person would. "impossible": the platform's authentication has no such case. Called only for
   * adapters with webhooks or sockets.
   */
  forge(said: Said, forgery: Forgery): Promise<Answer | "impossible">;
  /** The bot's visible messages in all conversations, in order. Resolves once there are this many. */
  posted(atLeast: number): Promise<readonly Post[]>;
  /** The text of the message to which a permalink leads; undefined if it leads nowhere. */
  textAt(link: string): Promise<string | undefined>;
  /** The signs that people see while `act` runs. */
  signsDuring(act: () => Promise<void>): Promise<readonly Sign[]>;
  /** Not called for channels with `resend: "log"`, which have no platform. */
  breakPlatform(fault: PlatformFault): void;
  /** Ends the fault and answers hanging requests. */
  recoverPlatform(): void;
  /** Ends the time that a stop leaves to deliveries in progress; until then a stop waits for them. */
  expireStop(): void;
  /** The shared room gets another id, and the platform announces it. Called only for a `MovingRoomsAdapter`. */
  moveRoom(): Promise<Answer>;
  /** Deletes a message of the bot. Called only for channels that can edit and have a platform. */
  removePost(messageId: string): void;
  close(): Promise<void>;
}

export type ConversationKind = "private" | "shared";

/** The features of the platform. Each false one skips the cases about it. */
export interface PlatformFeatures {
  /** In shared rooms people address the bot by a mention. */
  readonly mentions: boolean;
  /** Shared rooms have threads. */
  readonly threads: boolean;
  /** A person can answer one message. */
  readonly replies: boolean;
  /** In shared rooms the platform also reports answers to the bot's messages that do not mention it. */
  readonly unmentionedReplies: boolean;
  /** People can attach files. Must be true for an `AttachmentAdapter`. */
  readonly attachments: boolean;
  /** Other bots can write, and the platform reports the posts of bots. */
  readonly bots: boolean;
  /** People can edit their messages. */
  readonly edits: boolean;
  readonly buttons: boolean;
  /** In shared rooms the bot's answer shows which message it answers. */
  readonly quotes: boolean;
  /** The platform reports the time of a message. */
  readonly times: boolean;
  /** Messages of different rooms, or people, can have the same id. */
  readonly idsPerRoom: boolean;
}

export interface Said {
  readonly text: string;
  /** Defaults to "ann". The two bots are called only if the platform has `bots`. */
  readonly person?: "ann" | "bob" | "this bot" | "another bot";
  /** Defaults to the first of `kinds`. */
  readonly kind?: ConversationKind;
  /** The platform's event id: an event with the same one is a duplicate. Defaults to a new id. */
  readonly event?: string;
  /** Whether a message in a shared conversation mentions the bot. Defaults to true. */
  readonly mention?: boolean;
  /** One of the threads of the shared room. Defaults to a thread that never changes, if each message needs one. */
  readonly thread?: "first" | "second";
  /** The bot's message that this one answers. */
  readonly replyTo?: string;
  readonly files?: readonly SaidFile[];
  /** The time of the message on the platform, ISO 8601. */
  readonly at?: string;
}

export interface SaidFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

export interface Press {
  readonly messageId: string;
  readonly label: string;
  /** Defaults to "ann". */
  readonly person?: "ann" | "bob";
}

/**
 * unsigned: without any proof. wrong-key: signed with another key. altered: changed after it was signed. stale: genuine
 * but too old. misdirected: genuine, but for another bot or channel.
 */
export type Forgery = "unsigned" | "wrong-key" | "altered" | "stale" | "misdirected";

/**
 * refused: the platform, or the client, will send it again. denied: the sender sees why it is refused for good.
 * none: the platform has no acknowledgements of single events, as with long polling, or did not receive one.
 */
export type Answer = "acknowledged" | "refused" | "denied" | "none";

export interface Post {
  readonly text: string;
  /** The post has an anchor in the platform's native form. */
  readonly anchored: boolean;
  /** The platform notifies people because of its text. */
  readonly pings: boolean;
  readonly messageId: string;
  /** Identifies the conversation, with its thread. */
  readonly where: string;
  /** The labels of its buttons, in order. */
  readonly buttons: readonly string[];
  /** The files below it, as people download them. Needed only if the adapter sends files. */
  readonly files?: readonly { readonly name: string; readonly bytes: Buffer }[];
  /** The platform's id of the message that it visibly answers. */
  readonly answers?: string;
  /** The account id of the only person who sees it; absent: everyone in the conversation. */
  readonly onlyFor?: string;
}

/**
 * A sign beside the messages: typing, the text that the model is writing, or a reaction to a message. working-ended: the
 * reaction "working" disappears.
 */
export interface Sign {
  readonly type: "typing" | "draft" | "seen" | "working" | "working-ended";
  /** As in `Post`. */
  readonly where: string;
  readonly text?: string;
  /** The message with the reaction. */
  readonly messageId?: string;
}

/**
 * answer-lost: posts the message, then cuts the connection. failed-after-accept: posts it, then answers with a server
 * error such as 500. rejected: refuses this message for good. hanging: no response until `recoverPlatform`.
 */
export type PlatformFault =
  | "rate-limited"
  | "unavailable"
  | "answer-lost"
  | "failed-after-accept"
  | "target-gone"
  | "forbidden"
  | "rejected"
  | "hanging";
