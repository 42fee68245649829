export interface AckAddress {
  /** The message's place in its stream. */
  readonly seq: number;
  /** Which of the consumer's messages it is; the first has 1, and none is left out. */
  readonly consumerSeq: number;
  /** Wall clock of the server, milliseconds. */
  readonly storedAt: number;
  /** How many more the consumer has to deliver. */
  readonly pending: number;
}

/**
 * What the server says about a message in its reply subject:
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
