/** Texts of turns that ended without an answer, and of messages that did not arrive. They show no internals. */
export const failures = {
  "rate-limited": "I have too much to do right now. Please send your message again in a minute.",
  timeout: "I did not finish my answer in time. Please send your message again.",
  unreachable: "I cannot reach my language model right now. Please send your message again in a few minutes.",
  credentials:
    "My language model does not accept my credentials. Please tell the operator of this service; sending it again will not help.",
  "context-too-long":
    "This conversation or your message is too long for me. Start a new session with `/new`, or send something shorter.",
  overloaded: "My language model is overloaded right now. Please send your message again in a few minutes.",
  "bad-answer": "My language model gave me an answer that I could not use. Please send your message again.",
  refused: "My language model declined to answer this. Try asking in other words.",
  cancelled: "This was cancelled before I could answer.",
  "turn-timeout": "This took longer than I may spend on one message. Try asking for it in smaller steps.",
  "no-answer": "I used all the steps I have for one message and found no answer. Try asking for a part of it.",
  budget: "Today's budget is used up. `/budget` shows when it renews.",
  internal: "Something went wrong, and I could not answer your message. The operator of this service can look into it.",
};

export const turns = {
  rawResults: "I could not summarise these results, so here they are unedited.",
  stopped: "_Stopped._",
  /** About tool calls of an earlier version of a message; `tools` are their names. */
  notRunAgain: (tools: string) => `_Not run again, the earlier result counts: ${tools}._`,
  runAgain: (tools: string) => `_Run again for this version: ${tools}._`,
  cannotRevise:
    "I can no longer replace that message: it is too old, or belongs to an earlier session. Please send it as a new one.",
};

/** Deliveries that failed. */
export const delivery = {
  failures: {
    unknown: "it may or may not have arrived",
    "target-gone": "the conversation no longer exists",
    forbidden: "I am not allowed to write there",
    rejected: "the platform rejected it",
    unavailable: "the platform could not be reached",
    "rate-limited": "the platform limits how much I send",
  },
  /** Why a result could not reach its target, by the stored reason. */
  reasons: {
    "not-yours": "the account there is no longer yours",
    "no-channel": "that channel no longer exists",
    "not-met": "the person has not written to me in private yet",
    "no-access": "I no longer have access there",
  },
  /** Where the person finds it. */
  instead: {
    here: "I send it here instead.",
    elsewhere: "I send it to another conversation of yours instead.",
    inbox: "`/inbox` has it.",
  },
  undeliverable: (result: string, where: string | undefined, why: string) =>
    `The result of ${result} could not be delivered${where === undefined ? "" : ` on ${where}`}: ${why}.`,
  schedule: (title: string) => `the schedule “${title}”`,
  forAgent: (title: string) => `“${title}”, which another agent asked for,`,
  someonesSchedule: (id: string | undefined) => `a person's schedule${id === undefined ? "" : ` (${id})`}`,
  workForAgent: "work for another agent",
  inDeadLetters: "If it was sent, the operator of this service can find it in the dead letters.",
};
