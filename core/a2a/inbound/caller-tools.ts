import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { stableId } from "../../lib/index.ts";
import type { CoreDeps } from "../../turns/index.ts";
import { newTask, taskOfTurn } from "./inbound-call.ts";
import { changeTask, hasEnded, readTask } from "./inbound-task.ts";
import type { InboundTurns } from "./inbound-turns.ts";
import { addNotice, noticePlaceFor } from "./notices.ts";

const MAX_QUESTION_CHARS = 4_000;

/** Ends the turn with a question to the caller: the task then waits for input (A8). */
export const askCaller = (deps: CoreDeps & { readonly inbound: InboundTurns }): Tool<{ question: string }> => ({
  name: "ask_caller",
  description:
    "Asks the agent that called you for something that you need to continue, and ends your turn. Its answer arrives " +
    "as its next message. Call no other tool beside it.",
  input: z.object({ question: z.string().trim().min(1).max(MAX_QUESTION_CHARS) }),
  needs: "talk",
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
    if (asked === undefined) throw new AppError("not-found", "The caller's task no longer exists. End your turn.");
    return "asked";
  },
});

const MAX_NOTICE_CHARS = 2_000;

/** Lets a turn for a calling agent leave a notice for its own people. */
export const notifyPeople = (
  deps: Pick<CoreDeps, "bus" | "store"> & { readonly inbound: InboundTurns },
): Tool<{ text: string }> => ({
  name: "notify_people",
  description:
    "Leaves a notice for the people you work for, who do not see this exchange between agents. Notices are collected " +
    "and posted when their conversation is idle. Use it only for what they should know.",
  input: z.object({ text: z.string().trim().min(1).max(MAX_NOTICE_CHARS) }),
  needs: "talk",
  repeatable: true,
  async run({ text }, context) {
    const { origin, idempotencyKey } = context;
    const id = stableId("notice", idempotencyKey);
    const notice = { id, taskId: origin.taskId ?? "", title: origin.promptSummary, text, at: origin.startedAt };
    const place = await placeFor(deps, context);
    if (place === undefined)
      throw new AppError("not-found", "There is no place to tell people about this caller's work.");
    await addNotice(deps, { tenant: context.tenant, agent: context.agent, ...place }, notice);
    return "The notice is stored and will be posted.";
  },
});

/** The task names caller and skill. A call that is answered at once has no stored task yet. */
const placeFor = async (
  { store, inbound }: Pick<CoreDeps, "store"> & { readonly inbound: InboundTurns },
  context: ToolContext,
) => {
  const { notices } = inbound.rulesOf(context);
  const address = taskOfTurn(context, context, { depth: 0 });
  if (notices === undefined || address === undefined) return undefined;
  const skill = inbound.callFor(address)?.skill?.id ?? (await readTask(store, address))?.skill;
  return noticePlaceFor(notices, { caller: address.caller, skill });
};
