/** The text of the one reply to many sockets. */
export const REPLY_TEXT = "A reply of a usual length, a few sentences of it, as an agent gives them. ".repeat(6);
