/** Anchors of proactive messages; also the words that no other text may imitate (O16). */
export const anchors = {
  started: "started",
  from: "from",
  askedFor: "asked for",
  scheduled: "scheduled",
  /** Between a date and a time. */
  at: "at",
  jump: "jump",
};

/** Messages that waited. */
export const digests = {
  waited: (count: number) => `**${count} messages have waited for you.**`,
  whyNumber: (number: number) => `Why ${number}?`,
};

/** An operator answers in a conversation. */
export const takeovers = {
  started: (operator: string, agent: string, minutes: number) =>
    `${operator}, an operator of this service, answers here now and can read this conversation. ${agent} is ` +
    `paused for at most ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`,
  ended: (operator: string, agent: string) => `${operator} no longer answers here. ${agent} answers again.`,
};

/** Replies whose own text cannot be shown. */
export const placeholders = {
  onlyForYou: "The answer is only for you. Please send me a direct message and ask me there.",
  nothingMore: "There is nothing to say about this.",
};
