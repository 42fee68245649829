export interface AckAddress {
  /** Sequence number in the stream. */
  readonly seq: number;
  /** Sequence number of the consumer's delivery; starts at 1, without gaps. */
  readonly consumerSeq: number;
  /** Wall clock of the server, milliseconds. */
  readonly storedAt: number;
  /** Number of messages that the consumer has not delivered yet. */
  readonly pending: number;
}

/**
 * Parses the metadata of a message from its reply subject:
 * `$JS.ACK[.<domain>.<account>].<stream>.<consumer>.<deliveries>.<stream seq>.<consumer seq>.<nanoseconds>.<pending>[.<token>]`
 */
export const ackAddress = (reply: string): AckAddress | undefined => {
  const tokens = reply.split(".");
  if (tokens[0] !== "$JS" || tokens[1] !== "ACK") return undefined;
  const first = tokens.length === 9 ? 2 : 4;
  return {
    seq: Number(tokens[first + 3]),
    consumerSeq: Number(tokens[first + 4]),
    storedAt: Math.floor(Number(tokens[first + 5]) / 1_000_000),
    pending: Number(tokens[first + 6]),
  };
};
