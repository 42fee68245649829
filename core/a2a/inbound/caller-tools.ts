import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import type { Tool } from "../../contract/tool.ts";
import type { UserMessage } from "../../contract/user-message.ts";
import type { Agent } from "../../turns/agent.ts";
import type { TaskParts } from "./change-task.ts";
import { changeTask } from "./change-task.ts";
import { newTask } from "./inbound-call.ts";
import { hasEnded } from "./inbound-task.ts";
import type { InboundTurns } from "./inbound-turns.ts";
import { taskOfMessage, taskOfTurn } from "./task-of-turn.ts";
import { notifyPeople } from "./tell-people.ts";

const MAX_QUESTION_CHARS = 4_000;

type Parts = TaskParts & { readonly inbound: InboundTurns };

/** By the agent's own tools: a list that stays the same is described to models once. */
const forCallers = new WeakMap<readonly Tool[], readonly Tool[]>();
const forPeers = new WeakMap<readonly Tool[], readonly Tool[]>();

/**
 * The agent in a turn for another agent: nothing of it reaches people (A5), so it has no tools that do something for
 * them; else a caller could have done by two agents what one alone refuses. One that came in by the protocol can be
 * asked back.
 */
export const withCallerTools = (parts: Parts, agent: Agent, message: UserMessage): Agent => {
  if (message.synthetic?.owner.worksFor === undefined) return agent;
  const isCalled = taskOfMessage(message) !== undefined;
  const lists = isCalled ? forCallers : forPeers;
  const tools = lists.get(agent.tools) ?? [...notForPeople(agent), ...(isCalled ? callerTools(parts, agent) : [])];
  lists.set(agent.tools, tools);
  return { ...agent, tools };
};

const notForPeople = ({ tools }: Agent): readonly Tool[] => tools.filter(({ isForPeople }) => !isForPeople);

const callerTools = (parts: Parts, { tenant, name }: Agent): readonly Tool[] => {
  const mayTell = parts.inbound.rulesOf({ tenant, agent: name }).toldSkills !== undefined;
  return [askCaller(parts), ...(mayTell ? [notifyPeople(parts)] : [])] as Tool[];
};

/** Makes the end of the turn a question to the caller: the task then waits for input (A8). */
const askCaller = (parts: Parts): Tool<{ question: string }> => ({
  name: "ask_caller",
  description:
    "Asks the agent that called you for something you cannot go on without, and ends your turn. Its answer comes as " +
    "its next message. Call it alone.",
  input: z.object({ question: z.string().trim().min(1).max(MAX_QUESTION_CHARS) }),
  repeatable: true,
  endsTurn: true,
  async run({ question }, context) {
    const { turnId } = context;
    const address = taskOfTurn(context, context);
    const asked =
      address &&
      (await changeTask(parts, address, (stored) => {
        const call = parts.inbound.callFor(address);
        const task = stored ?? (call && newTask(call));
        return task === undefined || hasEnded(task) ? task : { ...task, question: { turnId, text: question } };
      }));
    if (asked === undefined) throw new AppError("not-found", "Nobody waits for this any more. End your turn.");
    return "asked";
  },
});
