import { z } from "zod";
import type { ReplyCause } from "../contract/reply-cause.ts";
import type { Synthetic } from "../contract/synthetic.ts";

const Named = z.object({ id: z.string(), name: z.string() });
const Listed = z.object({ subtasks: z.array(Named) });
const Scheduled = z.object({ schedule: z.object({ id: z.string() }) });
const Called = z.object({ call: z.string(), name: z.string() }).transform(({ call, name }) => [{ id: call, name }]);
const Late = z.object({ calls: z.array(Named) }).transform(({ calls }) => calls);
const Alone = z
  .object({ subtask: z.string(), name: z.string() })
  .transform(({ subtask, name }) => ({ id: subtask, name }));

/** What started a turn that no person's message did, in the words of `why` (O13). */
export const causeOf = ({ type, asker, origin, rootTurnId, data }: Synthetic, turnId: string): ReplyCause => {
  const schedule = Scheduled.safeParse(data).data?.schedule.id;
  const told = Listed.safeParse(data).data?.subtasks ?? [Alone.safeParse(data).data ?? []].flat();
  return {
    turnId,
    rootTurnId: rootTurnId ?? turnId,
    asker,
    trigger: type,
    steps: [
      ...(schedule === undefined ? [] : [{ kind: "schedule", id: schedule, name: origin.promptSummary }]),
      ...told.map(({ id, name }) => ({ kind: "subtask", id, name })),
      ...(Called.or(Late).safeParse(data).data ?? []).map(({ id, name }) => ({ kind: "peer", id, name })),
    ],
  };
};
