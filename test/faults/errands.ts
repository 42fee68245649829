import type { Ask, ConversationName, Expected } from "./account/account.ts";

/** A request of people, and the messages that they must see. */
interface Errand {
  /** The words of the request. */
  readonly verb: string;
  readonly answer: string;
  /** The proactive message, in all their private conversations. */
  readonly later?: string;
  /** The proactive message has an anchor everywhere, because its origin is not a conversation. */
  readonly anchoredEverywhere?: true;
}

export const errands = {
  plain: { verb: "say", answer: "answer" },
  slow: { verb: "tell slowly", answer: "answer" },
  research: { verb: "research", answer: "announced", later: "result" },
  schedule: { verb: "remind me of", answer: "scheduled", later: "reminder", anchoredEverywhere: true },
  delegate: { verb: "ask the harbour about", answer: "asked", later: "relayed" },
} as const satisfies Record<string, Errand>;

export type ErrandName = keyof typeof errands;

export const wordsOf = (name: ErrandName, token: string): string => `${errands[name].verb} ${token}`;

/** All messages that a person with these private conversations must see after a request in one conversation. */
export const askOf = (
  name: ErrandName,
  token: string,
  conversation: ConversationName,
  privateConversations: readonly ConversationName[],
): Ask => {
  const errand: Errand = errands[name];
  const seen = (word: string, where: ConversationName, anchored: boolean): Expected => ({
    words: `${word}-${token}`,
    conversation: where,
    anchored,
  });
  const { later, anchoredEverywhere = false } = errand;
  const conversations = later === undefined ? [] : new Set([conversation, ...privateConversations]);
  return {
    token,
    conversation,
    answer: seen(errand.answer, conversation, false),
    later: [...conversations].map((where) => seen(later ?? "", where, anchoredEverywhere || where !== conversation)),
  };
};
