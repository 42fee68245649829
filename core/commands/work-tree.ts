import { peerSessionOf, readCall, unreachableNote } from "../a2a/index.ts";
import type { ReplyCause } from "../contract/reply-cause.ts";
import type { Store } from "../contract/store.ts";
import { type Batch, outcomeOf, readOwner, readSubtask } from "../subtasks/index.ts";

/** A step of a piece of work, with the steps it needed itself. */
export interface WorkTree {
  /** "subtask", "peer", "schedule"; open. */
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  /** What became of it; undefined if that is no longer known. */
  readonly outcome: string | undefined;
  readonly steps: readonly WorkTree[];
}

interface Place {
  readonly tenant: string;
  readonly agent: string;
}

type Step = ReplyCause["steps"][number];

/** What was done for an answer (O13). A kind of step that is not known here is named all the same. */
export const workTree = (store: Store, place: Place, steps: readonly Step[]): Promise<WorkTree[]> =>
  Promise.all(
    steps.map((step) => {
      if (step.kind === "subtask") return subtaskDone(store, place, step);
      return step.kind === "peer" ? peerDone(store, place, step) : plain(step);
    }),
  );

const plain = ({ kind, id, name }: Step): WorkTree => ({ kind, id, name, outcome: undefined, steps: [] });

const subtaskDone = async (store: Store, place: Place, step: Step): Promise<WorkTree> => {
  const { tenant, agent } = place;
  const [subtask, { batches }] = await Promise.all([
    readSubtask(store, { tenant, agent, id: step.id }),
    readOwner(store, { tenant, agent, ownerId: step.id }),
  ]);
  if (subtask === undefined) return plain(step);
  const steps = await workTree(store, place, stepsOf(Object.values(batches)));
  return { ...plain(step), outcome: outcomeOf(false, subtask), steps };
};

const stepsOf = (batches: readonly Batch[]): Step[] =>
  batches.flatMap(({ members, calls = [] }) => [
    ...members.map(({ id, name }) => ({ kind: "subtask", id, name })),
    ...calls.map(({ id, name }) => ({ kind: "peer", id, name })),
  ]);

/** A hop to another agent, with what it delegated itself as far as that is known here. */
const peerDone = async (store: Store, { tenant, agent }: Place, step: Step): Promise<WorkTree> => {
  const call = await readCall(store, { tenant, agent, id: step.id });
  if (call === undefined) return plain(step);
  const outcome = { open: unreachableNote(call) ?? "no answer yet", answered: "answered", failed: "failed" }[
    call.state
  ];
  const there = { tenant, agent: call.peer };
  const { batches } = await readOwner(store, { ...there, ownerId: peerSessionOf(call) });
  const own = Object.values(batches).filter(({ standing }) => standing.owner.worksFor?.id === call.id);
  return { ...plain(step), outcome, steps: await workTree(store, there, stepsOf(own)) };
};
