import type { ErrorCode, ServerFrame } from "../protocol.ts";

/** "full": this visitor has too many connections, and this one waits for room. */
export type ChatStatus = "connecting" | "open" | "away" | "full" | "refused" | "closed";

/** Whoever shows a chat. */
export interface ChatListener {
  frame(frame: ServerFrame): void;
  statusChanged(status: ChatStatus, reason?: ErrorCode): void;
  /** What waits to be sent, or could not be. */
  queueChanged(): void;
  /** Another log begins: what is shown is not part of it. */
  cleared(): void;
}
