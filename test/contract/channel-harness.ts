import type { ChannelAdapter, Inbox } from "../../adapters/contract/channel-adapter.ts";

/** How an adapter and a local copy of its platform are put up for the contract suite. */
export interface ChannelHarness {
  /** The one under test; another one after `restart`. */
  readonly adapter: ChannelAdapter;
  /** Where people can write on this platform. One alone is private: two people are then in two conversations. */
  readonly places: readonly Place[];
  /** What this platform would take for a call to everybody, and for an anchor of ours, if a reply's text had it. */
  readonly hostile: { readonly massMention: string; readonly anchor: string };
  /** Starts the adapter, and whatever serves its webhooks or sockets. */
  start(inbox: Inbox): Promise<void>;
  /** Drops the adapter as the death of its process would, and starts a new one on the same platform and store. */
  restart(inbox: Inbox): Promise<void>;
  /** A person writes. Resolves once the platform has its answer, or knows that none will come. */
  userSays(said: Said): Promise<Answer>;
  /** What people see of the bot, in order, over all places. Resolves once there are this many messages. */
  posted(atLeast: number): Promise<readonly Post[]>;
  /** Only asked of channels that have a platform of their own: not of `resend: "log"`. */
  breakPlatform(trouble: Trouble): void;
  /** What hangs is answered. */
  mendPlatform(): void;
  /** Somebody removes a message of the bot. Only asked of channels that can edit, and have a platform of their own. */
  removePost(messageId: string): void;
  close(): Promise<void>;
}

export type Place = "private" | "shared";

export interface Said {
  readonly text: string;
  /** "ann" unless said. */
  readonly person?: "ann" | "bob";
  /** The first of `places` unless said. */
  readonly place?: Place;
  /** The platform's own name for this event: the same one again is a repeat. Unless said, each is new. */
  readonly event?: string;
}

/** none: the platform has no acknowledgements, or got none. */
export type Answer = "acknowledged" | "refused" | "none";

export interface Post {
  readonly text: string;
  /** An anchor is shown with it, in the platform's own form. */
  readonly anchored: boolean;
  /** Somebody was called who should not have been. */
  readonly pings: boolean;
  readonly messageId: string;
  /** Any spelling of the conversation, the same for the same one. */
  readonly where: string;
}

/** answer-lost: the message is posted, the connection is cut before the answer. hanging: no answer until mended. */
export type Trouble = "rate-limited" | "unavailable" | "answer-lost" | "target-gone" | "forbidden" | "hanging";
