/** An agent elsewhere that answers the messages of a chat. */
const AGAIN = "Please send your message again in a few minutes.";
const OPERATOR = "Please tell the operator of this service; sending it again will not help.";

export const agents = {
  /** The name of a call in lists of work. */
  asking: (peer: string) => `Asking ${peer}`,
  askingAbout: (peer: string, about: string) => `Asking ${peer}: ${about}`,
  failures: {
    timedOut:
      "The agent that answers here did not finish in time, so I cancelled its task. Try asking for it in smaller steps.",
    credentials: `The agent that answers here does not accept my credentials. ${OPERATOR}`,
    tooLong: "The answer of the agent is too long for me to pass on. Try asking for a part of it.",
    unreachable: `I cannot reach the agent that answers here right now. ${AGAIN}`,
    notHandled: `The agent that answers here could not handle your message. ${OPERATOR}`,
    misconfigured: `I cannot reach the agent that answers here. ${OPERATOR}`,
    unreadable: `The agent that answers here sent something that I could not read. ${OPERATOR}`,
    circle: "I did not pass this on, because the agents that work on it were sending it in a circle.",
  },
  stillWorking:
    "The agent that answers here is still working on this. You can write something else meanwhile; its answer follows here.",
  /** Ends of a task. The key is stored, with the agent's own reason, if it gave one. */
  ends: {
    timedOut: (_reason: string) =>
      "The agent that answers here did not finish in time, so I cancelled its task. Try asking for it in smaller steps.",
    gone: (_reason: string) =>
      "The agent that answers here no longer has this task, so there is no answer. Please ask again.",
    unreachable: (_reason: string) =>
      "The agent that works on this could not be reached in time, so there is no answer. Please ask again.",
    noAnswer: (_reason: string) => "_The agent finished without a text._",
    noQuestion: (_reason: string) => "_The agent waits for your answer._",
    failed: (reason: string) => `The agent that answers here could not finish this${reason}`,
    cancelled: (reason: string) => `The agent that answers here cancelled this task${reason}`,
    rejected: (reason: string) => `The agent that answers here declined this${reason}`,
    "sign-in": (reason: string) =>
      `The agent that answers here requires a sign-in, which is not possible in this chat${reason}`,
  },
};
