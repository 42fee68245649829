import type { ChannelAdapter, Inbox } from "../../adapters/contract/channel-adapter.ts";

/** An adapter and a local copy of its platform, for the contract suite. */
export interface ChannelHarness {
  /** The adapter under test; `restart` replaces it. */
  readonly adapter: ChannelAdapter;
  /** The kinds of conversations on this platform. If there is only one, it is private. */
  readonly kinds: readonly ConversationKind[];
  /** Texts that this platform would interpret as a mention of everyone, and as an anchor. */
  readonly hostile: { readonly massMention: string; readonly anchor: string };
  /** Starts the adapter and the server of its webhooks or sockets. */
  start(inbox: Inbox): Promise<void>;
  /** Replaces the adapter, as after a crash, by a new one on the same platform and store. */
  restart(inbox: Inbox): Promise<void>;
  /** A person writes. Resolves once the platform has its acknowledgement or refusal, or will not get one. */
  userSays(said: Said): Promise<Answer>;
  /** The bot's visible messages in all conversations, in order. Resolves once there are this many. */
  posted(atLeast: number): Promise<readonly Post[]>;
  /** Not called for channels with `resend: "log"`, which have no platform. */
  breakPlatform(fault: PlatformFault): void;
  /** Ends the fault and answers hanging requests. */
  recoverPlatform(): void;
  /** Ends the time that a stop leaves to deliveries in progress; until then a stop waits for them. */
  expireStop(): void;
  /** Deletes a message of the bot. Called only for channels that can edit and have a platform. */
  removePost(messageId: string): void;
  close(): Promise<void>;
}

export type ConversationKind = "private" | "shared";

export interface Said {
  readonly text: string;
  /** Defaults to "ann". */
  readonly person?: "ann" | "bob";
  /** Defaults to the first of `kinds`. */
  readonly kind?: ConversationKind;
  /** The platform's event id: an event with the same one is a duplicate. Defaults to a new id. */
  readonly event?: string;
}

/** none: the platform has no acknowledgements, or did not receive one. */
export type Answer = "acknowledged" | "refused" | "none";

export interface Post {
  readonly text: string;
  /** The post has an anchor in the platform's native form. */
  readonly anchored: boolean;
  /** The platform notifies people because of its text. */
  readonly pings: boolean;
  readonly messageId: string;
  /** Identifies the conversation. */
  readonly where: string;
}

/** answer-lost: posts the message, then cuts the connection. hanging: no response until `recoverPlatform`. */
export type PlatformFault = "rate-limited" | "unavailable" | "answer-lost" | "target-gone" | "forbidden" | "hanging";
