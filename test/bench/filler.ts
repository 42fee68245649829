/** Text as long as a record of the product: what is stored must weigh the same on both sides. */
export const filler = {
  turn: "x".repeat(580),
  history: "x".repeat(180),
  reply: "x".repeat(560),
  saidEntry: "x".repeat(200),
  replyEntry: "x".repeat(450),
};
