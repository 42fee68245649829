/** Linking the accounts of one person. */
export const linking = {
  problems: {
    "too-many": "That was a lot of tries. Please try again in ten minutes.",
    unknown: "I don't know this code. Check it for typos, or get a new one on your other channel.",
    void: "This code no longer works. Get a new one on your other channel.",
    expired: "This code has expired. Get a new one on your other channel.",
    used: "This code was already used, and each works once. Get a new one on your other channel.",
    "same-account": "You asked for this code here. Send it to me from another channel or another browser.",
    "same-channel": "This code is from this channel. Send it to me from another channel.",
    linked: "These two accounts are already linked.",
    taken: "Both accounts are already linked with others. Use `/unlink` in one of them first.",
  },
  inPrivate:
    "Others can read this, so codes shown here no longer work. Please send me a direct message with `/link` instead.",
  noCode: "A code looks like `7KQ2M-XW94T`. `/link` gives you one for another channel.",
  onAnotherChannel: "On another channel",
  orInAnotherBrowser: "On another channel, or in another browser",
  code: (code: string, where: string) =>
    `Your code is \`${code}\`. ${where}, send me this in a direct message: \`link ${code}\`\n\n` +
    "It works once, within ten minutes. I then ask you on both sides to confirm. Keep it to yourself.",
  /** An account of a person as other people see it. */
  account: (name: string, channel: string) => `“${name}” on ${channel}`,
  aPerson: "a person",
  and: "and",
  entered: (account: string) => `${account} has entered your code.`,
  askedForIt: (account: string) => `${account} asked for this code.`,
  linkedWithOthers: (others: string) => `, linked with ${others},`,
  words: (words: string) => `The other browser must show the same two words: **${words}**. If it does not, refuse.\n\n`,
  isThatYou: (id: string) =>
    "Is that you? If so, both accounts will see the answers to what either of them asks from now on.\n\n" +
    `Confirm within ten minutes: \`/link confirm ${id}\`. Not you? \`/link refuse ${id}\``,
  confirmButton: "Link accounts",
  refuseButton: "Refuse",
  confirmToo: (account: string) => `Thank you. Please confirm as ${account} too.`,
  linkedWith: (account: string) =>
    `Linked with ${account}. From now on, answers reach you on both. \`/unlink\` undoes it.`,
  otherRefused: "The other account refused the link, so nothing was linked.",
  refused: (account: string) => `Okay, I did not link ${account}.`,
  unlinkInPrivate: "Please send me a direct message with `/unlink`: I only unlink accounts in private.",
  notLinked: "This account is not linked with another one.",
  declared: "The operator of this service has linked these accounts: please ask them to change it.",
  noneOn: (channel: string) => `You have no linked account on "${channel}".`,
  isLinkedWith: (accounts: string) => `This account is linked with ${accounts}.`,
  /** `count` accounts have left. */
  unlinked: (leaving: string, staying: string, _count: number) => `${leaving} is no longer linked with ${staying}.`,
  thisUnlinked: (account: string) => `This account is no longer linked with ${account}.`,
  otherUnlinked: (accounts: string, _count: number) => `${accounts} is no longer linked with this account.`,
  operatorUnlinked: (accounts: string) => `An operator of this service has unlinked ${accounts} from this account.`,
};
