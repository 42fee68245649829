import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import type { Tool } from "../../contract/tool.ts";
import type { CoreDeps } from "../../turns/index.ts";
import { changeTask } from "./change-task.ts";
import { newTask, taskOfTurn } from "./inbound-call.ts";
import { hasEnded } from "./inbound-task.ts";
import type { InboundTurns } from "./inbound-turns.ts";

const MAX_QUESTION_CHARS = 4_000;

/** Ends the turn with a question to the caller: the task then waits for input (A8). */
export const askCaller = (deps: CoreDeps & { readonly inbound: InboundTurns }): Tool<{ question: string }> => ({
  name: "ask_caller",
  description:
    "Asks the agent that called you for something you cannot go on without, and ends your turn. Its answer comes as " +
    "its next message. Call it alone.",
  input: z.object({ question: z.string().trim().min(1).max(MAX_QUESTION_CHARS) }),
  repeatable: true,
  endsTurn: true,
  async run({ question }, context) {
    const { turnId } = context;
    const address = taskOfTurn(context, context, context.delegationContext);
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
