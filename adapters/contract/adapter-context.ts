import type { FileRef } from "../../core/contract/file-ref.ts";
import type { MenuCommand } from "../../core/contract/menu-command.ts";
import type { AgentRef } from "../../core/contract/messages/addresses.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { UserSignal } from "../../core/contract/messages/signals.ts";
import type { WriteAvailability } from "../../core/contract/ports/backbone.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import type { Meter } from "../../core/contract/ports/telemetry.ts";
import type { Places } from "./places.ts";
import type { RateShare } from "./rate-limit.ts";

/** A sender of files. Anonymous: the channel does not know who the account belongs to. */
export interface Uploader {
  readonly id: string;
  readonly isAnonymous: boolean;
}

/** Both reject with "rate-limited" and a text for the sender if a budget does not admit the bytes (R2). */
export interface PersonBudget {
  /** Takes nothing. */
  check(uploader: Uploader, bytes: number): Promise<void>;
  /** The returned function refunds the bytes. */
  take(uploader: Uploader, bytes: number): Promise<() => void>;
}

/** How a channel recognises the owner of a personal deployment (I1). */
export interface OwnerAccess {
  readonly name: string;
  /** The owner secret: programs that can read it from dataDir prove it. It never leaves this process. */
  readonly secret: Buffer;
  /**
   * Uses up the code of a one-time link. `browser` is a random value of the browser that uses it: the same browser may
   * repeat the call, because its connection may break before the answer. False: expired, unknown, or used elsewhere.
   */
  redeem(code: string, browser: string): Promise<boolean>;
}

/** The constructor argument of an adapter: the agent that it serves, and the ports that it may use. */
export interface AdapterContext extends AgentRef {
  readonly channel: string;
  /** The gateway's public address, without a trailing slash. */
  readonly publicUrl: string;
  /** The commands that a channel may offer in a menu. */
  readonly commands: readonly MenuCommand[];
  readonly store: Store;
  /** The content of a file that the agent sent earlier (`OutgoingFile.ref`); undefined if it has expired. Absent: unknown. */
  readonly openFile?: ((file: FileRef) => Promise<AsyncIterable<Uint8Array> | undefined>) | undefined;
  /** An adapter that stores something before `inbox.accept` checks this first, so that it refuses senders at once. */
  readonly writes: WriteAvailability;
  /** Free bytes on the disk of the store; absent: unknown. */
  readonly freeBytes?: (() => Promise<number>) | undefined;
  /** Bytes that senders on all channels of the tenant may store per hour; absent: no limit. */
  readonly tenantStoredBytes?: number | undefined;
  /** The uploads that all channels of the tenant may receive at once in this gateway; absent: no limit. */
  readonly tenantUploads?: Places | undefined;
  /** Joins the hourly storage of visitors and addresses with other gateways; absent: this one counts alone. */
  readonly storedByteRates?: RateShare | undefined;
  /** The budgets of stored bytes of the people who send files; absent: none applies. */
  readonly personBudget?: PersonBudget | undefined;
  /** Whether an operator has blocked an account of this channel; absent: none is. */
  readonly isBlocked?: ((accountId: string) => boolean) | undefined;
  /** Present in personal mode, for an adapter with an `ownerAccount`: it serves this person only. */
  readonly owner?: OwnerAccess | undefined;
  /** Publishes to the same channel on every gateway, this one included. Not stored; may be lost. */
  signal(signal: UserSignal): void;
  /** The current session id of a conversation of this channel. `isNew`: the conversation has no messages yet. */
  sessionOf(conversation: Conversation, isNew?: boolean): Promise<string>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly newId: () => string;
}
