/** The subprotocol. docs/protocol.md describes it with an example of every frame. */
export const PROTOCOL = "mooring.v1";

/** Every code the server closes a socket with. docs/protocol.md says what a client does about each. */
export const closeCodes = {
  /** A binary frame. */
  binary: 1003,
  /** Text that is not UTF-8; `ws` closes with it by itself. */
  notUtf8: 1007,
  tooManyBadFrames: 1008,
  tooLarge: 1009,
  restarting: 1012,
  /** Does not read, or the gateway is full. */
  tryLater: 1013,
  helloTooLate: 4001,
  tokenRefused: 4002,
  visitorFull: 4003,
  tooFast: 4004,
} as const;
export type CloseCode = (typeof closeCodes)[keyof typeof closeCodes];
