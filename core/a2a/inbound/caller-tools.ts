import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Agent } from "../../turns/index.ts";
import { withoutPeopleTools } from "../tools-for-agents.ts";
import type { TaskParts } from "./change-task.ts";
import { changeTask } from "./change-task.ts";
import { newTask } from "./inbound-call.ts";
import { hasEnded } from "./inbound-task.ts";
import type { InboundTurns } from "./inbound-turns.ts";
import { taskOfTurn } from "./task-of-turn.ts";
import { notifyPeople } from "./tell-people.ts";

const MAX_QUESTION_CHARS = 4_000;

type Parts = TaskParts & { readonly inbound: InboundTurns };

/** By the list without people's tools: an unchanged list is described to models once. */
const lists = new WeakMap<readonly Tool[], readonly Tool[]>();

/** The agent in a turn for an agent that called by the protocol, which it can ask back. */
export const withCallerTools = (parts: Parts, agent: Agent): Agent => {
  const restricted = withoutPeopleTools(agent);
  const tools = lists.get(restricted.tools) ?? [...restricted.tools, ...callerTools(parts, agent)];
  lists.set(restricted.tools, tools);
  return { ...agent, tools };
};

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
