import type { Clock } from "../../core/contract/clock.ts";
import type { Conversation } from "../../core/contract/conversation.ts";
import type { Logger } from "../../core/contract/logger.ts";
import type { Meter } from "../../core/contract/meter.ts";
import type { Store } from "../../core/contract/store.ts";
import type { UserSignal } from "../../core/contract/user-signal.ts";
import type { WriteAvailability } from "../../core/contract/write-availability.ts";

/** What an adapter is given when it is made: who it speaks for, and the ports it may use. */
export interface AdapterContext {
  readonly channel: string;
  readonly tenant: string;
  readonly agent: string;
  /** Where people reach the gateway, without a slash at the end. */
  readonly publicUrl: string;
  readonly store: Store;
  /** An adapter that stores something before `inbox.accept` asks this first, so that senders are refused at once. */
  readonly writes: WriteAvailability;
  /** Bytes that are free on the disk of the store. Absent: not known. */
  readonly freeBytes?: (() => Promise<number>) | undefined;
  /** To the same channel on every gateway, this one included. Not stored, may be lost. */
  signal(signal: UserSignal): void;
  /** The id of the session that a conversation of this channel is in now. `isNew`: nobody has written in it yet. */
  sessionOf(conversation: Conversation, isNew?: boolean): Promise<string>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly newId: () => string;
}
