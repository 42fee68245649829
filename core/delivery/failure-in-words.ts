const WORDS: Readonly<Record<string, string>> = {
  unknown: "it may or may not have arrived",
  "target-gone": "the conversation is gone",
  forbidden: "I may not write there",
  rejected: "it was refused",
  unavailable: "the platform could not be reached",
  "rate-limited": "the platform took no more messages",
};

/** Why a delivery was given up, from the reason of its dead letter: `<kind of failure>: <why>`. */
export const failureInWords = (reason: string): string => {
  const [, kind = "", why = reason] = /^([a-z-]+): ([\s\S]*)$/.exec(reason) ?? [];
  const words = WORDS[kind];
  return words === undefined ? reason : `${words} (${why})`;
};
