import type { MenuCommand } from "../../core/contract/menu-command.ts";
import type { AgentRef } from "../../core/contract/messages/addresses.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { UserSignal } from "../../core/contract/messages/signals.ts";
import type { WriteAvailability } from "../../core/contract/ports/backbone.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import type { Meter } from "../../core/contract/ports/telemetry.ts";

/** The constructor argument of an adapter: the agent that it serves, and the ports that it may use. */
export interface AdapterContext extends AgentRef {
  readonly channel: string;
  /** The gateway's public address, without a trailing slash. */
  readonly publicUrl: string;
  /** The commands that a channel may offer in a menu. */
  readonly commands: readonly MenuCommand[];
  readonly store: Store;
  /** An adapter that stores something before `inbox.accept` checks this first, so that it refuses senders at once. */
  readonly writes: WriteAvailability;
  /** Free bytes on the disk of the store; absent: unknown. */
  readonly freeBytes?: (() => Promise<number>) | undefined;
  /** Bytes that senders on all channels of the tenant may store per hour; absent: no limit. */
  readonly tenantStoredBytes?: number | undefined;
  /** Whether an operator has blocked an account of this channel; absent: none is. */
  readonly isBlocked?: ((accountId: string) => boolean) | undefined;
  /** Publishes to the same channel on every gateway, this one included. Not stored; may be lost. */
  signal(signal: UserSignal): void;
  /** The current session id of a conversation of this channel. `isNew`: the conversation has no messages yet. */
  sessionOf(conversation: Conversation, isNew?: boolean): Promise<string>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly newId: () => string;
}
