// Apart from the schemas in protocol.ts, so that the browser bundle does not include zod.

/** The WebSocket subprotocol. docs/protocol.md describes it with an example of every frame. */
export const PROTOCOL = "mooring.v1";

/**
 * The visitor id of the owner of a personal deployment. It has the form of an anonymous visitor's id, so no host page can
 * sign it, and no new visitor gets it.
 */
export const OWNER_VISITOR = "v1-owner";

/** Every code with which the server closes a socket. docs/protocol.md defines how a client reacts to each. */
export const closeCodes = {
  /** The client sent a binary frame. */
  binary: 1003,
  /** The text was not UTF-8; `ws` itself closes with this code. */
  notUtf8: 1007,
  tooManyBadFrames: 1008,
  tooLarge: 1009,
  restarting: 1012,
  /** The client reads too slowly, or the gateway has too many connections. */
  tryLater: 1013,
  helloTooLate: 4001,
  tokenRefused: 4002,
  visitorFull: 4003,
  tooFast: 4004,
  /** The visitor has no such conversation, or has deleted it. */
  conversationUnknown: 4005,
} as const;
export type CloseCode = (typeof closeCodes)[keyof typeof closeCodes];
