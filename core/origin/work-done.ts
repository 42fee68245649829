import type { ReplyCause } from "../contract/reply-cause.ts";
import type { Store } from "../contract/store.ts";
import { readOwner } from "../subtasks/owner-record.ts";
import { outcomeOf } from "../subtasks/show-results.ts";
import { readSubtask } from "../subtasks/subtask-record.ts";

/** A step of a piece of work, with the steps it needed itself. */
export interface WorkDone {
  /** "subtask", "schedule"; open. */
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  /** What became of it; undefined if that is no longer known. */
  readonly outcome: string | undefined;
  readonly steps: readonly WorkDone[];
}

interface Place {
  readonly tenant: string;
  readonly agent: string;
}

type Step = ReplyCause["steps"][number];

/** What was done for an answer (O13). A kind of step that is not known here is named all the same. */
export const workDone = (store: Store, place: Place, steps: readonly Step[]): Promise<WorkDone[]> =>
  Promise.all(steps.map((step) => (step.kind === "subtask" ? subtaskDone(store, place, step) : plain(step))));

const plain = ({ kind, id, name }: Step): WorkDone => ({ kind, id, name, outcome: undefined, steps: [] });

const subtaskDone = async (store: Store, place: Place, step: Step): Promise<WorkDone> => {
  const { tenant, agent } = place;
  const [subtask, { batches }] = await Promise.all([
    readSubtask(store, { tenant, agent, id: step.id }),
    readOwner(store, { tenant, agent, ownerId: step.id }),
  ]);
  if (subtask === undefined) return plain(step);
  const own = Object.values(batches).flatMap(({ members }) => members);
  const steps = await workDone(
    store,
    place,
    own.map(({ id, name }) => ({ kind: "subtask", id, name })),
  );
  return { ...plain(step), outcome: outcomeOf(false, subtask), steps };
};
