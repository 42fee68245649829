const long = (length: number): string => "x".repeat(length);

/**
 * Text with the length of the product's records, without the fields that a floor stores anyway: both sides must store
 * the same number of bytes.
 */
export const filler = {
  tool: { response: long(150), intent: long(20), result: long(100), history: long(400) },
  bus: { turn: long(790), history: long(180), reply: long(590) },
  socket: {
    message: long(350),
    said: long(140),
    turn: long(970),
    history: long(180),
    reply: long(660),
    replyEntry: long(530),
  },
  /** The tasks of the SDK server are longer than ours, so this filler is shorter. */
  a2a: { message: long(1_010), turn: long(970) },
};
