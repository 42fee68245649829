import type { ErrorCode, ServerFrame } from "../protocol.ts";

/** "full": the visitor has too many connections, and this one waits for a free slot. */
export type ChatStatus = "connecting" | "open" | "away" | "full" | "refused" | "closed";

/** Receives the events of a ChatClient. */
export interface ChatListener {
  frame(frame: ServerFrame): void;
  statusChanged(status: ChatStatus, reason?: ErrorCode): void;
  /** The queue of unsent or failed messages has changed. */
  queueChanged(): void;
  /** Another log begins: the shown entries are not part of it. */
  cleared(): void;
}
