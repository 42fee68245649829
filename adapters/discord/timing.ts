/** How long things may take, and how often they are done. Tests shorten them. */
export interface DiscordTiming {
  readonly loginWithinMs: number;
  /** For one request with its answer; well below the 60 s after which the outbox gives up. */
  readonly requestWithinMs: number;
  /** What deliveries under way have left when the channel stops. */
  readonly stopWithinMs: number;
  /** Discord takes an interaction for failed after 3 s. */
  readonly acknowledgeWithinMs: number;
  /** Discord allows one IDENTIFY in 5 s. */
  readonly identifyEveryMs: number;
  /** Discord keeps a session for some minutes; but the server that has it may be gone for good. */
  readonly resumeWithinMs: number;
  /** Before the second attempt of anything that failed; doubles from there. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** How often the place is stored up to which conversations have been read. */
  readonly saveEveryMs: number;
  /** A connection that is away for longer is reported. Discord asks for reconnects all day long. */
  readonly reportAfterMs: number;
}

export const defaultTiming: DiscordTiming = {
  loginWithinMs: 30_000,
  requestWithinMs: 15_000,
  stopWithinMs: 5_000,
  acknowledgeWithinMs: 1_500,
  identifyEveryMs: 5_500,
  resumeWithinMs: 60_000,
  firstPauseMs: 1_000,
  longestPauseMs: 60_000,
  saveEveryMs: 15_000,
  reportAfterMs: 10_000,
};
