/** The largest message of a server. Results are bounded further when they are read. */
export const MAX_MESSAGE_BYTES = 16_000_000;
