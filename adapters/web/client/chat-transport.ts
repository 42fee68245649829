export interface TransportEvents {
  opened(): void;
  received(text: string): void;
  /** Called once, also if it was never open. */
  closed(code: number): void;
}

/** An open connection, or one that is about to open. */
export interface ChatConnection {
  /** Dropped if it is not open. */
  send(text: string): void;
  close(): void;
}

/** Opens a socket to the gateway: the one thing that a browser and a terminal do differently. */
export type ChatTransport = (events: TransportEvents) => ChatConnection;
