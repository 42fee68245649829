/** A message that waits or runs in this process. */
export interface QueuedMessage {
  /** Sequence number in the stream; messages are queued in this order. */
  readonly seq: number;
  readonly partition: number;
  /** Undefined: not ordered with any other message. */
  readonly key: string | undefined;
  readonly id: string;
  readonly publishedAt: number;
  /** It may have run before in a process that crashed, so its runs are counted before they start. */
  readonly suspect: boolean;
  /** The stored JSON. Called right before the run, so that a long queue need not be in memory. */
  read(): string | Promise<string>;
}
