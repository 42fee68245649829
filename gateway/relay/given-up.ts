import type { AgentReply } from "../../core/contract/agent-reply.ts";
import type { Conversation } from "../../core/contract/conversation.ts";
import type { DeadLetter } from "../../core/contract/dead-letter.ts";
import { noteUndelivered } from "../../core/delivery/undelivered/index.ts";
import { signalProgress } from "../../core/turns/index.ts";
import type { RelayContext } from "./relay-context.ts";

/** A delivery has become a dead letter: it is listed (D6), and if its place is gone, that is told elsewhere (P2). */
export const givenUp = async (
  { bus, store, reportGone }: RelayContext,
  { reply, target }: { readonly reply: AgentReply; readonly target: Conversation },
  letter: DeadLetter,
): Promise<void> => {
  await noteUndelivered(store, { reply, target }, letter);
  signalProgress(bus, reply);
  const { reason } = letter;
  if (/^(?:target-gone|forbidden):/.test(reason)) await reportGone(reply, target, { reason, instead: IN_INBOX });
};

const IN_INBOX = "You find it in your `inbox`.";
