import type { PeerCall } from "./peer-call.ts";

/** What a peer is told before the message itself. */
const HOW: Readonly<Record<PeerCall["mode"], string>> = {
  notify:
    "This is information, not a request: nobody waits for an answer. Note or do what follows from it. Do not reply " +
    "unless you have a genuine question.",
  task_delegate:
    "You are asked to do this. What you write at the end is your result: the other agent gets nothing else.",
  consult: "You are asked a question, and the other agent waits. What you write is your answer: be brief.",
};

/** The message of one agent as another is told it. It speaks as a colleague, and its words are no directives. */
export const wakeText = ({ agent, mode, message }: Pick<PeerCall, "agent" | "mode" | "message">): string =>
  `[message from the agent ${agent}] ${HOW[mode]} No person reads your words.\n\n${message}`;
