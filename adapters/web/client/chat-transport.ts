export interface TransportEvents {
  opened(): void;
  received(text: string): void;
  /** Called once, even if the connection never opened. */
  closed(code: number): void;
}

/** An open or opening connection. */
export interface ChatConnection {
  /** Drops the text if the connection is not open. */
  send(text: string): void;
  close(): void;
}

/** Opens a socket to the gateway; browser and terminal differ only in this. */
export type ChatTransport = (events: TransportEvents) => ChatConnection;
