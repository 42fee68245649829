import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import type { Tool } from "../../contract/tool.ts";
import type { UserMessage } from "../../contract/user-message.ts";
import { stableId } from "../../lib/index.ts";
import type { CoreParts } from "../../turns/index.ts";
import { addNotice } from "./add-notice.ts";
import type { InboundTask } from "./inbound-task.ts";

/** Tells people what was answered under a skill that is meant for them too (A10). Doing it again changes nothing. */
export const tellOfAnswer = async (
  parts: Pick<CoreParts, "bus" | "store" | "logger">,
  { synthetic }: UserMessage,
  task: InboundTask,
  toldSkills: readonly string[],
): Promise<void> => {
  const { id, skill, state, answer, createdAt } = task;
  if (state !== "completed" || !answer || skill === undefined || !toldSkills.includes(skill)) return;
  const title = synthetic?.origin.promptSummary ?? task.caller;
  try {
    await addNotice(parts, task, { id, taskId: id, title, text: answer, at: createdAt });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "too-large") throw error;
    // The caller has its answer, and must not wait for people who never come.
    parts.logger.warn({ task: id, why: error.message }, "people are not told of an answer");
  }
};

const MAX_NOTICE_CHARS = 2_000;

/** Lets a turn for another agent leave a word for the people whom this one works for. */
export const notifyPeople = (parts: Pick<CoreParts, "bus" | "store">): Tool<{ text: string }> => ({
  name: "notify_people",
  description:
    "Leaves a word for the people you work for, who do not see this exchange between agents. They read it, together " +
    "with others, when they are not busy. Use it only for what they should know.",
  input: z.object({ text: z.string().trim().min(1).max(MAX_NOTICE_CHARS) }),
  repeatable: true,
  async run({ text }, context) {
    const { origin, idempotencyKey } = context;
    const id = stableId("notice", idempotencyKey);
    const notice = { id, taskId: origin.taskId ?? "", title: origin.promptSummary, text, at: origin.startedAt };
    await addNotice(parts, context, notice);
    return "kept for them";
  },
});
