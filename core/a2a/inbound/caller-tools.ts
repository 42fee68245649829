import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import type { UserMessage } from "../../contract/user-message.ts";
import type { Agent } from "../../turns/agent.ts";
import type { Tool } from "../../turns/tool.ts";
import type { TaskParts } from "./change-task.ts";
import { changeTask } from "./change-task.ts";
import { callIn, newTask } from "./inbound-call.ts";
import { hasEnded } from "./inbound-task.ts";
import type { InboundTurns } from "./inbound-turns.ts";
import { taskOfMessage } from "./task-of-turn.ts";
import { notifyPeople } from "./tell-people.ts";

const MAX_QUESTION_CHARS = 4_000;

/**
 * The agent in a turn for another agent: nothing of it reaches people (A5), so it has no tools that do something for
 * them. One that came in by the protocol can be asked back.
 */
export const withCallerTools = (
  parts: TaskParts & { readonly inbound: InboundTurns },
  agent: Agent,
  message: UserMessage,
): Agent => {
  if (message.synthetic?.owner.worksFor === undefined) return agent;
  const tools = agent.tools.filter(({ isForPeople }) => !isForPeople);
  if (taskOfMessage(message) === undefined) return { ...agent, tools };
  const mayTell = parts.inbound.rulesOf(message).toldSkills !== undefined;
  const own = [askCaller(parts, message), ...(mayTell ? [notifyPeople(parts)] : [])];
  return { ...agent, tools: [...tools, ...(own as Tool[])] };
};

/** Makes the end of the turn a question to the caller: the task then waits for input (A8). */
const askCaller = (parts: TaskParts, message: UserMessage): Tool<{ question: string }> => ({
  name: "ask_caller",
  description:
    "Asks the agent that called you for something you cannot go on without, and ends your turn. Its answer comes as " +
    "its next message. Call it alone.",
  input: z.object({ question: z.string().trim().min(1).max(MAX_QUESTION_CHARS) }),
  repeatable: true,
  endsTurn: true,
  async run({ question }, context) {
    const { turnId } = context;
    const address = taskOfMessage(message);
    const call = callIn(message);
    const asked =
      address &&
      (await changeTask(parts, address, (stored) => {
        const known = stored ?? (call && newTask(call));
        return known === undefined || hasEnded(known) ? known : { ...known, question: { turnId, text: question } };
      }));
    if (asked === undefined) throw new AppError("not-found", "Nobody waits for this any more. End your turn.");
    return "asked";
  },
});
