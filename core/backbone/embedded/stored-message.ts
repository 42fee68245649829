/** A message as it was committed. */
export interface StoredMessage {
  readonly seq: number;
  readonly key: string | undefined;
  readonly id: string;
  readonly publishedAt: number;
  readonly body: string;
}
