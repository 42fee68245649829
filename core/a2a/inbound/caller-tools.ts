import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Agent } from "../../turns/index.ts";
import { withoutPeopleTools } from "../peer-turns.ts";
import { changeTask, type TaskDeps } from "./change-task.ts";
import { newTask, taskOfTurn } from "./inbound-call.ts";
import { hasEnded } from "./inbound-task.ts";
import type { InboundTurns } from "./inbound-turns.ts";
import { notifyPeople } from "./notices.ts";

const MAX_QUESTION_CHARS = 4_000;

type Deps = TaskDeps & { readonly inbound: InboundTurns };

/** Cached by the restricted list, because the model's tool schemas are cached by the identity of the list. */
const lists = new WeakMap<readonly Tool[], readonly Tool[]>();

/** The agent in a turn for a calling agent, with the tools to ask that agent and to notify people. */
export const withCallerTools = (deps: Deps, agent: Agent): Agent => {
  const restricted = withoutPeopleTools(agent);
  const tools = lists.get(restricted.tools) ?? [...restricted.tools, ...callerTools(deps, agent)];
  lists.set(restricted.tools, tools);
  return { ...agent, tools };
};

const callerTools = (deps: Deps, { tenant, name }: Agent): readonly Tool[] => {
  const canNotify = deps.inbound.rulesOf({ tenant, agent: name }).toldSkills !== undefined;
  return [askCaller(deps), ...(canNotify ? [notifyPeople(deps)] : [])] as Tool[];
};

/** Ends the turn with a question to the caller: the task then waits for input (A8). */
const askCaller = (deps: Deps): Tool<{ question: string }> => ({
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
      (await changeTask(deps, address, (stored) => {
        const call = deps.inbound.callFor(address);
        const task = stored ?? (call && newTask(call));
        return task === undefined || hasEnded(task) ? task : { ...task, question: { turnId, text: question } };
      }));
    if (asked === undefined) throw new AppError("not-found", "Nobody waits for this any more. End your turn.");
    return "asked";
  },
});
