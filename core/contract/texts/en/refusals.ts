/** Messages that a channel does not accept. Teams shows these after a colon, so they begin small and have no full stop. */
export const refusals = {
  notListed: "this account may not talk to the agent here: ask its operator for access",
  notTheOwner:
    "this assistant serves its owner only, so I cannot answer you here. If it is yours, add this account to owner in its " +
    "configuration",
  roomNotListed: "the agent does not listen in this room: ask its operator to add the room",
  tooManyMessages: (limit: number) => `more than ${limit} messages in a minute: wait a little`,
  blocked:
    "this account has been blocked, so I cannot answer you here. If you think that this is a mistake, please contact the " +
    "operator of this service",
  overloaded: "too many messages are waiting for an answer: please send this again in a few minutes",
  notAllowed: "this agent may not talk to you here: ask its operator for access",
  onlyInGroups: (accountId: string) =>
    `I only talk in groups. To ask my operator for access, name your id: ${accountId}`,
  overBudget: (why: string) => `the file does not fit into the budget. ${why}`,
  cannotAccept: (why: string) => `I cannot accept this: ${why}.`,
};

/** Messages, commands and buttons that a platform's adapter refuses by itself. */
export const intake = {
  tryAgain: "I could not store this just now. Please try again in a moment.",
  restarting: "I am restarting. Please try again in a moment.",
  unsupported: "I do not support this. Please use a command instead.",
  hiddenChannel: "I cannot see this channel. Please give me access first.",
  oldButton: "This button is too old. Please use a command instead.",
  oldButtonType: "This button is too old. Please type the command instead.",
  otherWorkspace: "I only talk to members of my own workspace. Please ask my operator for access.",
  unknownWorkspace:
    "I only talk to members of my own workspace, and Slack did not report yours. Please try again in a minute.",
};

/** Texts that the operator's own check refused, or could not check. */
export const moderation = {
  refused: {
    message: "I may not answer this message.",
    answer: "I wrote an answer, but it was withheld.",
  },
  unchecked: {
    message: "I could not check this message, so I did not read it. Please send it again in a few minutes.",
    answer: "I wrote an answer, but it could not be checked and was withheld. Please ask again in a few minutes.",
  },
};
