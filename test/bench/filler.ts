const long = (length: number): string => "x".repeat(length);

/** Text as long as the product's records, without what a floor stores beside it: both sides must store as many bytes. */
export const filler = {
  bus: { turn: long(790), history: long(180), reply: long(590) },
  socket: {
    message: long(350),
    said: long(140),
    turn: long(970),
    history: long(180),
    reply: long(660),
    replyEntry: long(530),
  },
  /** Its tasks are longer than ours: together with them it is as much. */
  a2a: { message: long(1_010), turn: long(970) },
};
