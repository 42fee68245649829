/** Answers to the commands about a person's own settings and memory. */
export const quiet = {
  usage: [
    "- `/quiet 22:00-07:00`: messages that I send on my own wait until 07:00. You can add a time zone, such as Europe/Berlin",
    "- `/quiet off`: no quiet hours",
    "- `/quiet everywhere`: I send them on all your channels",
    "- `/quiet origin`: I send them only where the work began",
    "- `/quiet last-active`: I send them there, and where you last wrote to me",
    "- `/quiet origin shared`: the same, only for work that began in a room. Other kinds: private (with you alone), " +
      "scheduled, a2a-inbound (for another agent)",
    "- `/quiet default`: back to the defaults",
  ].join("\n"),
  unclear: (text: string) => `I don't understand "${text}". Try one of these:`,
  hours: (hours: string) => `Quiet hours: ${hours}.`,
  reach: (reach: string) => `Where I message you first: ${reach}.`,
  byDefault: (value: string) => `${value} (the default)`,
  forKind: (reach: string, kind: string) => `${reach} for ${kind} work`,
  off: "off",
  inYourZone: (hours: string) => `${hours}, in your time zone`,
};

export const timezone = {
  usage: "`/timezone Europe/Berlin` sets it, `/timezone auto` follows your apps again.",
  notAZone: (text: string) => `"${text}" is not a time zone. Use a name such as Europe/Berlin.`,
  own: (zone: string) => `Your time zone is ${zone}.`,
  reported: (zone: string) => `Your time zone is ${zone}, as your app reports it.`,
  unknown: (zone: string) => `I do not know your time zone, so I use ${zone}.`,
};

export const language = {
  usage: "`/language de` or `/language es` sets another one, `/language auto` follows your apps again.",
  /** The name of this language, in itself. */
  name: "English",
  notALanguage: (text: string) => `I do not speak "${text}". I know en (English), de (Deutsch) and es (Español).`,
  own: (name: string) => `I write my notices in ${name}.`,
  reported: (name: string) => `I write my notices in ${name}, as your app reports it.`,
  unknown: (name: string) => `I do not know your language, so I write my notices in ${name}.`,
};

export const memory = {
  none: "There is no memory here.",
  usage:
    "`/memory` shows what I remember. `/memory find <words>` searches in it, `/memory forget <number>` erases one entry, " +
    "and `/memory forget all` erases all of them.",
  person: {
    nothingYet: `I remember nothing about you yet. Just tell me, for example: "remember that I like tea".`,
    nothing: "I remember nothing about you.",
    noMatch: "I remember nothing about you that fits these words.",
    heading: (count: number) => `I remember ${count} ${count === 1 ? "thing" : "things"} about you`,
    eraseAll: (count: number) =>
      `Should I erase all ${count} ${count === 1 ? "thing" : "things"} that I remember about you?`,
  },
  room: {
    nothingYet: `I remember nothing for this room yet. Just tell me, for example: "remember that I like tea".`,
    nothing: "I remember nothing for this room.",
    noMatch: "I remember nothing for this room that fits these words.",
    heading: (count: number) => `I remember ${count} ${count === 1 ? "thing" : "things"} for this room`,
    eraseAll: (count: number) =>
      `Should I erase all ${count} ${count === 1 ? "thing" : "things"} that I remember for this room? Only those that you asked for, unless you are an operator.`,
  },
  some: ", here are some",
  howToForget: "`/memory forget <number>` erases one entry, `/memory forget all` all of them.",
  older: "Show older ones",
  best: "The best matches first:",
  forgetButton: (text: string) => `Forget “${text}”`,
  noEntry: "I do not remember such an entry. `/memory` shows the numbers.",
  which: "Which one?",
  notYours: "Only the person who asked me to remember this, or an operator, can erase it.",
  forgotten: (text: string) => `Forgotten: ${text}`,
  cannotUndo: "This cannot be undone. `/memory forget all confirm` erases them.",
  eraseAllButton: "Erase all",
  forgot: (count: number) =>
    count === 0 ? "I have forgotten nothing." : `I have forgotten ${count} ${count === 1 ? "thing" : "things"}.`,
  othersStay: (count: number) => `${count} ${count === 1 ? "thing" : "things"} of other people stay.`,
};

export const budget = {
  unlimited: "Nothing limits what I may use for you today.",
  usage: "`/budget` shows what is left. `/budget continue` goes on after I have asked.",
  lifted: "I go on for today, up to the limit. Please send your message again.",
  notYours: "Only the person whose budget it is, or an operator, can choose that.",
  heading: "Used today:",
  sharedUsedUp: "The budget that all people share is used up.",
  allAssistants: " with all assistants together",
  left: (percent: number) => `${percent} % left`,
  asksAt: (percent: number) => `I ask at ${percent} %`,
  continueButton: "Continue",
  /** The locale of numbers. */
  numbers: "en-GB",
  use: (used: string, limit: string, resource: string) => `${used} of ${limit} ${resource}`,
  resources: { turns: "turns", tokens: "tokens", cost: "cost", subtasks: "subtasks", bytes: "stored bytes" },
  renewal: (left: string) => `It renews at 00:00 UTC, in ${left}.`,
  minutes: (minutes: number) => `${minutes} min`,
  hours: (hours: number, minutes: number) => `${hours} h ${minutes} min`,
  ownBackground:
    "Background work has used its part of your budget for today; the rest is reserved for messages of people.",
  sharedBackground:
    "Background work has used its part of today's budget of this assistant; the rest is reserved for messages of people.",
  assistantUsedUp: "The budget of this assistant for today is used up.",
  operatorCanRaise: "The operator of this service can raise it.",
  usedUp: (use: string) => `Your budget for today is used up (${use}).`,
  showsWhatIsLeft: "`/budget` shows what is left.",
  softOwn: (percent: number, use: string) =>
    `You have reached ${percent} % of your budget for today (${use}). Do you want to go on? Choose Continue or send ` +
    "`/budget continue`, then send your message again.",
  softShared: (percent: number) =>
    `This assistant has reached ${percent} % of its budget for today. An operator can let it go on.`,
  warning: (percent: number, use: string) => `You have used ${percent} % of your budget for today (${use}).`,
  waitsOwn: (limit: number) =>
    `I work on at most ${limit} of your messages at once. This one waits in line; I will answer it as soon as I can.`,
  waitsShared:
    "I am working on as many messages as I may at once. Yours waits in line; I will answer it as soon as I can.",
};
