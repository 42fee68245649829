import { z } from "zod";
import type { Tool } from "../../contract/tool.ts";
import { stableId } from "../../lib/index.ts";
import type { CoreDeps } from "../../turns/index.ts";
import { addNotice } from "./notices.ts";

const MAX_NOTICE_CHARS = 2_000;

/** Lets a turn for a calling agent leave a notice for its own people. */
export const notifyPeople = (deps: Pick<CoreDeps, "bus" | "store">): Tool<{ text: string }> => ({
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
    await addNotice(deps, context, notice);
    return "kept for them";
  },
});
