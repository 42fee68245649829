/** Answers to the commands of every day. Functions get times and names as finished text. */
export const help = {
  introduction: "Just write to me as you would to a colleague. I also know these commands:",
  seenElsewhere:
    "To see my answers on your other channels and in your other browsers too, write `/link` in one of them and send me the code in the other.",
  newSession: "This is a new session: I have forgotten our conversation so far.",
  unknown: (name: string) => `I don't know the command "${name}".`,
  didYouMean: (name: string) => `Did you mean \`/${name}\`?`,
  known: (list: string) => `I know ${list}.`,
  /** Values that a person fills in, as the syntax of commands names them. */
  values: { code: "code", channel: "channel", words: "words", number: "number", reason: "reason" },
};

export const status = {
  none: "I am not working on anything for you, and no messages are waiting.",
  heading: "In progress for you:",
  answering: (summary: string, ago: string) => `answering “${summary}”, started ${ago}`,
  work: (name: string, id: string, how: string, ago: string) => `${name} (\`${id}\`): ${how}, started ${ago}`,
  working: "working",
  waitingToStart: "waiting to start",
  approval: (tool: string, state: string, ago: string, id: string) =>
    `\`${tool}\` ${state}, asked ${ago} (\`/approve ${id}\`)`,
  held: (count: number, channel: string, until: string) =>
    `${count === 1 ? "1 message waits" : `${count} messages wait`} for you on ${channel}, ${until}`,
  until: (time: string) => `until ${time}`,
  untilReachable: "until I can reach it",
};

export const cancel = {
  nothing: "I am not working on anything for you.",
  nothingHere: "I am not working on anything for you in this conversation.",
  question: "What should I cancel?",
  all: "`/cancel all` ends all of it, on all your channels: answers, work and calls to other agents. Schedules stay.",
  answers: (count: number) => `${count} ${count === 1 ? "answer" : "answers"}`,
  work: (count: number) => `${count} ${count === 1 ? "piece of work" : "pieces of work"}`,
  calls: (count: number) => `${count} ${count === 1 ? "call to another agent" : "calls to other agents"}`,
  ended: (list: string) => `I ended ${list}.`,
  schedulesStay: "Schedules and reminders stay: `/schedules` lists them.",
  badId: "An id looks like `subtask-1a2b3c4d`. `/cancel` lists what you can cancel.",
  unknown: (id: string) => `There is no subtask "${id}".`,
  notYours: (id: string) => `${id} belongs to another person: only the person who asked for it can do that.`,
  alreadyEnded: (name: string, state: string) => `${name} has already ended: ${state}.`,
  quoted: (name: string) => `"${name}"`,
  cancelled: (name: string) => `${name} is cancelled.`,
  endedItself: (name: string) => `${name} has just ended by itself.`,
  noAnswer: "I am not writing an answer for you here right now.",
  stopped: "Okay, I stopped.",
  button: (name: string) => `Cancel “${name}”`,
};

export const inbox = {
  gone: "This message is no longer in your inbox. `/inbox` shows what is left.",
  usage: "`/inbox` lists your messages; use its buttons to read, resend or dismiss one.",
  sending: (target: string) => `I am sending it again, to ${target}.`,
  dismissed: "Dismissed.",
  empty: "Your inbox is empty: everything reached you.",
  end: "That is all.",
  heading: "These messages may not have reached you:",
  entry: (excerpt: string, target: string, ago: string, reason: string) =>
    `“${excerpt}”, for ${target}, ${ago}: ${reason}`,
  more: "Show more",
  read: (number: number) => `Read ${number}`,
  again: (number: number) => `Send ${number} again`,
  dismiss: (number: number) => `Dismiss ${number}`,
  forTarget: (target: string) => `For ${target}.`,
  about: (summary: string) => `About “${summary}”.`,
  files: (names: string) => `Files, which a resend brings: ${names}`,
  privateTarget: (channel: string) => `your private conversation on ${channel}`,
  sharedTarget: (channel: string) => `a shared conversation on ${channel}`,
};

export const report = {
  nothing: "There is no message of mine here that I could report. Reply to the message with `/report`.",
  reported: "Thank you, I reported my message. The operators see who reported it and when, but not what it says.",
  include: "Include the message",
  gone: "This report, or the message, is no longer stored.",
  included: "I added the message to your report. The operators can read it now.",
  button: "Report",
};

export const feedback = {
  unknown: "I cannot find that answer, so I stored no feedback.",
  removed: "I removed your feedback.",
  thanks: "Thank you for your feedback.",
};

export const links = {
  none: "There are no links of yours to revoke here. They end after 24 hours.",
  revoked: "The links no longer work.",
};

export const conversation = {
  shared: "I cannot delete a conversation that others take part in.",
  deleted: "I have deleted our conversation.",
  confirmDeletion:
    "Should I delete our conversation here? I forget what we wrote, my notes on it and its files, and cancel its work. " +
    "Messages that your app shows stay there. This cannot be undone. `/delete-conversation confirm` deletes it.",
  deleteIt: "Delete",
};

export const workspace = {
  none: "I do not work on a repository here.",
  stillWorking: (name: string) => `I am still working on "${name}".`,
  unchanged: "Nothing was changed.",
  discarded: (name: string) => `I discarded the changes of "${name}".`,
  missing: (id: string) => `${id} has no workspace: it changed nothing, or it was discarded.`,
  dirty: (names: string) =>
    `The repository has changes that are not committed (${names}). Ask for them to be committed, stashed or discarded first.`,
  moved: (branch: string) =>
    `Not merged: the branch ${branch} has changed since I showed its changes. Merge it in the repository, or ask me to do the work again.`,
  conflicts: (files: string) => `Not merged: conflicts in ${files}. Nothing was changed.`,
  notMerged: (output: string) => `Not merged: ${output}. Nothing was changed.`,
  changed: (files: number, insertions: number, deletions: number) =>
    `${files} ${files === 1 ? "file" : "files"} changed, +${insertions} −${deletions}`,
  merged: (branch: string) => `Merged into ${branch}.`,
  alreadyMerged: "It is already merged.",
  show: (name: string) => `Show “${name}”`,
  merge: (name: string) => `Merge “${name}”`,
  discard: (name: string) => `Discard “${name}”`,
};
