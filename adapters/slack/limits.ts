/** How patient the adapter is. Tests are less so. */
export interface SlackLimits {
  /** One call of the Web API. */
  readonly callMs: number;
  /** A stop waits this long for deliveries under way, then cuts them off. */
  readonly stopMs: number;
  /** From the first byte of a socket to Slack's hello. */
  readonly helloMs: number;
  /** The first pause before a socket is opened again; it doubles up to the longest. */
  readonly reconnectMs: number;
  readonly longestReconnectMs: number;
  /** What is not known about a person by then is left out of the message. */
  readonly profileMs: number;
}

export const defaultSlackLimits: SlackLimits = {
  callMs: 10_000,
  stopMs: 5_000,
  helloMs: 10_000,
  reconnectMs: 500,
  longestReconnectMs: 60_000,
  profileMs: 700,
};

/** Far more than any event that Slack sends. */
export const MAX_BODY_BYTES = 1_000_000;
