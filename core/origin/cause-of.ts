import { z } from "zod";
import type { ReplyCause } from "../contract/reply-cause.ts";
import type { Synthetic } from "../contract/synthetic.ts";

const Named = z.object({ id: z.string(), name: z.string() });

/** What a synthetic message may tell of, each part for itself. One schema, made once: every such turn asks. */
const Told = z.object({
  schedule: z.object({ id: z.string() }).optional().catch(undefined),
  subtasks: z.array(Named).optional().catch(undefined),
  calls: z.array(Named).optional().catch(undefined),
  subtask: z.string().optional().catch(undefined),
  call: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
});
type Told = z.infer<typeof Told>;

/** What started a turn that no person's message did, in the words of `why` (O13). */
export const causeOf = ({ type, asker, origin, rootTurnId, data }: Synthetic, turnId: string): ReplyCause => ({
  turnId,
  rootTurnId: rootTurnId ?? turnId,
  asker,
  trigger: type,
  steps: data === undefined ? [] : stepsOf(Told.parse(data), origin.promptSummary),
});

const stepsOf = (told: Told, title: string): ReplyCause["steps"] => {
  const { schedule, subtasks, calls, subtask, call, name } = told;
  return [
    ...(schedule === undefined ? [] : [{ kind: "schedule", id: schedule.id, name: title }]),
    ...(subtasks ?? named(subtask, name)).map((step) => ({ kind: "subtask", ...step })),
    ...(calls ?? named(call, name)).map((step) => ({ kind: "peer", ...step })),
  ];
};

const named = (id: string | undefined, name: string | undefined) =>
  id === undefined || name === undefined ? [] : [{ id, name }];
