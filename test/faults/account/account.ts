/** A conversation on a platform, formatted by `placeOf`. */
export type ConversationName = string;

export const conversationName = ({
  channel,
  room,
  thread,
}: {
  channel: string;
  room: string;
  thread?: string;
}): ConversationName => [channel, room, ...(thread === undefined ? [] : [thread])].join(" ");

const channelOf = (conversation: ConversationName): string => conversation.split(" ", 1)[0] ?? conversation;

/** A message that must be shown once. Its words are in no other message. */
export interface Expected {
  readonly words: string;
  readonly conversation: ConversationName;
  /** Whether it must have an anchor. */
  readonly anchored: boolean;
}

/** An accepted message, and all messages that people must see because of it. */
export interface Ask {
  /** Occurs in the message and in everything that follows from it. */
  readonly token: string;
  readonly conversation: ConversationName;
  /** The solicited answer. */
  readonly answer: Expected;
  /** The proactive messages that follow. */
  readonly later: readonly Expected[];
}

/** A message of the agent as a platform shows it. */
export interface Seen {
  readonly conversation: ConversationName;
  readonly text: string;
  readonly anchor?: string;
}

/** A dead letter, as operators see it. */
export interface Letter {
  readonly conversation: ConversationName;
  /** The prompt summary, which contains the token. */
  readonly about: string;
  readonly reason: string;
}

export interface Books {
  /** In the order of acceptance, per conversation. */
  readonly asks: readonly Ask[];
  /** In the order in which they are shown, per conversation. */
  readonly seen: readonly Seen[];
  readonly letters: readonly Letter[];
  /** Channels whose platform cannot report the outcome of a send. */
  readonly silent: readonly string[];
}

/** Each error is a line of text. */
export interface Account {
  readonly messages: number;
  readonly answers: number;
  readonly lost: readonly string[];
  readonly duplicated: readonly string[];
  readonly outOfOrder: readonly string[];
  readonly wronglyShown: readonly string[];
  /** The outcome stayed unknown although the platform could report it. */
  readonly needlesslyUnknown: readonly string[];
  /** The platform cannot report the outcome; each is a dead letter that operators see. */
  readonly unknown: readonly string[];
}

export const WRONGS = ["lost", "duplicated", "outOfOrder", "wronglyShown", "needlesslyUnknown"] as const;

export const isRight = (account: Account): boolean => WRONGS.every((wrong) => account[wrong].length === 0);

/** "answer-m17": the kind and the token. Names of subtasks ("job-m17-a") do not match. */
const WORDS = /(?<![\w-])[a-z]+-(m\d+)(?![\w-])/g;
const TOKEN = /\bm\d+\b/g;

/** Compares requests with the messages that people and operators see; it has no other input. */
export const settle = ({ asks, seen, letters, silent }: Books): Account => {
  const expected = asks.flatMap(({ answer, later }) => [answer, ...later]);
  const doubts = letters.filter(({ reason }) => reason.startsWith("unknown"));
  const found = positionsOf(seen);
  const at = (each: Expected): readonly number[] => found.get(named(each)) ?? [];
  const isSilent = ({ conversation }: Letter): boolean => silent.includes(channelOf(conversation));
  const missing = expected.filter((each) => at(each).length === 0);
  return {
    messages: asks.length,
    answers: expected.length,
    lost: missing.filter((each) => !isInDoubt(each, doubts)).map(named),
    duplicated: expected
      .filter((each) => at(each).length > 1)
      .map((each) => `${named(each)}, ${at(each).length} times`),
    outOfOrder: misplaced(asks, (each) => (isInDoubt(each, doubts) ? undefined : at(each)[0])),
    wronglyShown: [...strangers(asks, seen), ...expected.flatMap((each) => wrongAnchors(each, at(each), seen))],
    needlesslyUnknown: doubts.filter((letter) => !isSilent(letter)).map(doubted),
    unknown: doubts.filter(isSilent).map(doubted),
  };
};

const doubted = ({ about, conversation, reason }: Letter): string => `"${about}" in ${conversation}: ${reason}`;

const named = ({ words, conversation }: Pick<Expected, "words" | "conversation">): string =>
  `${words} in ${conversation}`;

const positionsOf = (seen: readonly Seen[]): Map<string, number[]> => {
  const positions = new Map<string, number[]>();
  for (const [index, { text, conversation }] of seen.entries()) {
    for (const words of new Set(text.match(WORDS))) {
      const key = named({ words, conversation });
      positions.set(key, [...(positions.get(key) ?? []), index]);
    }
  }
  return positions;
};

const tokenIn = (words: string): string => words.match(TOKEN)?.[0] ?? "";

const isInDoubt = ({ words, conversation }: Expected, doubts: readonly Letter[]): boolean =>
  doubts.some((letter) => letter.conversation === conversation && tokenIn(letter.about) === tokenIn(words));

/**
 * In each conversation, answers must be in the order of their requests, and a result after its announcement.
 * A delivery with an unknown outcome has no position: its platform may show it at any time (ADR 0015).
 */
const misplaced = (asks: readonly Ask[], positionOf: (each: Expected) => number | undefined): string[] => {
  const last = new Map<ConversationName, { position: number; answer: Expected }>();
  return asks.flatMap(({ conversation, answer, later }) => {
    const position = positionOf(answer);
    if (position === undefined) return [];
    const early = later
      .filter(
        (each) => each.conversation === conversation && !each.anchored && (positionOf(each) ?? position) < position,
      )
      .map((each) => `${named(each)} before ${answer.words}`);
    const before = last.get(conversation);
    if (before !== undefined && before.position > position)
      return [`${named(answer)} before ${before.answer.words}`, ...early];
    last.set(conversation, { position, answer });
    return early;
  });
};

/** Messages for another audience, and messages that belong to no request. */
const strangers = (asks: readonly Ask[], seen: readonly Seen[]): string[] => {
  const expected = new Set(asks.flatMap(({ answer, later }) => [answer, ...later].map(named)));
  const origins = new Map(asks.map(({ token, conversation }) => [token, conversation]));
  return seen.flatMap(({ conversation, text }) => {
    const shown = `"${text.replaceAll(/\s+/g, " ").slice(0, 80)}" in ${conversation}`;
    const tokens = text.match(TOKEN) ?? [];
    if (tokens.length === 0) return [`${shown}, without a request`];
    const words = text.match(WORDS) ?? [];
    // Activity and drafts have no words; they belong only in the conversation of the request.
    const isRight =
      words.length > 0
        ? words.every((each) => expected.has(named({ words: each, conversation })))
        : tokens.every((token) => origins.get(token) === conversation);
    return isRight ? [] : [`${shown}, which is not for those there`];
  });
};

const wrongAnchors = (each: Expected, positions: readonly number[], seen: readonly Seen[]): string[] =>
  positions.flatMap((position) => {
    const anchor = seen[position]?.anchor;
    if (!each.anchored) return anchor === undefined ? [] : [`${named(each)} with an anchor: ${anchor}`];
    if (anchor === undefined) return [`${named(each)} without an anchor`];
    return tokenIn(anchor) === tokenIn(each.words) ? [] : [`${named(each)} with the anchor of another: ${anchor}`];
  });
