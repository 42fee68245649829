/** A message that waits in a process for its turn, or runs there. */
export interface QueuedMessage {
  /** Its place in the stream: messages are queued in this order. */
  readonly seq: number;
  readonly partition: number;
  /** Undefined: in no order with any other. */
  readonly key: string | undefined;
  readonly id: string;
  readonly publishedAt: number;
  /** It may have been run before, by a process that died: its runs are counted before they start. */
  readonly suspect: boolean;
  /** The stored JSON. Read when its turn comes, so that a long queue need not be in memory. */
  read(): string | Promise<string>;
}
