/** The explanation of a proactive message, and the outcomes of the work behind it. */
export const why = {
  unknown:
    "I found no message here that I sent on my own, such as a reminder or a late result. " +
    "To ask about an older one, reply to it with `/why` or press its button.",
  button: "Why?",
  /** A person's name and the label of a channel. */
  asked: (by: string | undefined, channel: string) => `asked${by === undefined ? "" : ` by ${by}`} in ${channel}`,
  onSchedule: "on a schedule",
  fromAgent: "from another agent",
  whatWasAsked: (prompt: string, source: string, when: string) =>
    `**What was asked:** “${prompt}”, ${source}, ${when}.`,
  whatItIsAbout: (title: string, source: string, when: string) =>
    `**What it is about:** “${title}”, ${source}, ${when}.`,
  itSays: (prompt: string) => `It says: “${prompt}”.`,
  whyNow: (trigger: string) => `**Why now:** ${trigger}.`,
  background: "I was working in the background, and this is the result",
  triggers: {
    synthesis: "all delegated work had finished",
    amendment: "another result came after the first answer",
    "wake-up": "delegated work had an update",
    task: "it was due",
    inbound: "other agents sent messages, and you were not busy",
    callback: "another agent had answered",
    late: "another agent answered after the work had ended",
    approval: "a call that needed an approval was decided",
  },
  whatWasDone: "**What was done:**",
  more: (count: number) => `and ${count} more`,
  moreInInbox: (count: number) => `and ${count} more: see \`/status\` and \`/inbox\``,
  shownIn: (list: string) => `**Shown in:** ${list}.`,
  notShown: (list: string) => `**Not shown yet:** ${list}.`,
  goToFirst: "Go to the first message",
  pending: "**Messages that have not reached you yet:**",
  pendingEntry: (about: string, target: string) => `“${about}”, for ${target}`,
  failed: (reason: string) => `not delivered: ${reason}, see \`/inbox\``,
  heldUntil: (time: string) => `held until ${time}`,
  heldUntilReachable: "held until I can reach it",
  whereItBegan: "where it began",
  privately: "private",
  aRoom: "a room",
  steps: { subtask: "subtask", peer: "peer", approval: "approval", schedule: "schedule" },
};

/** States of subtasks and of calls to other agents. */
export const outcomes = {
  pending: "pending",
  running: "running",
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
  timeout: "timed out",
  partial: "partly done",
  lost: "lost",
  unreachableSince: (time: string) => `unreachable, retrying since ${time}`,
  noAnswer: "no answer yet",
  answered: "answered",
};
