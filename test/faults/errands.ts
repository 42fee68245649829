import type { Ask, Expected, Place } from "./account/account.ts";

/** What people ask for, and what they are to see of it. */
interface Errand {
  /** How they put it. */
  readonly verb: string;
  readonly answer: string;
  /** What comes by itself, in all their private places. */
  readonly later?: string;
  /** It says everywhere where it came from, since it came from no conversation. */
  readonly anchoredEverywhere?: true;
}

export const errands = {
  plain: { verb: "say", answer: "answer" },
  slow: { verb: "tell slowly", answer: "answer" },
  research: { verb: "research", answer: "announced", later: "result" },
  schedule: { verb: "remind me of", answer: "scheduled", later: "reminder", anchoredEverywhere: true },
  delegate: { verb: "ask the harbour about", answer: "asked", later: "heard" },
} as const satisfies Record<string, Errand>;

export type ErrandName = keyof typeof errands;

export const wordsOf = (name: ErrandName, token: string): string => `${errands[name].verb} ${token}`;

/** All that people are to see of an errand that was asked for in one place by somebody with these private places. */
export const askOf = (name: ErrandName, token: string, place: Place, privatePlaces: readonly Place[]): Ask => {
  const errand: Errand = errands[name];
  const seen = (word: string, where: Place, anchored: boolean): Expected => ({
    words: `${word}-${token}`,
    place: where,
    anchored,
  });
  const { later, anchoredEverywhere = false } = errand;
  const places = later === undefined ? [] : new Set([place, ...privatePlaces]);
  return {
    token,
    place,
    answer: seen(errand.answer, place, false),
    later: [...places].map((where) => seen(later ?? "", where, anchoredEverywhere || where !== place)),
  };
};
