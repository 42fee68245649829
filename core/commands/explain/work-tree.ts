import { peerSessionOf, readCall, unreachableNote } from "../../a2a/index.ts";
import { isApprovalId, readApproval, stateText } from "../../approvals/index.ts";
import type { AgentRef } from "../../contract/messages/addresses.ts";
import type { ReplyCause } from "../../contract/messages/agent-reply.ts";
import type { Store } from "../../contract/ports/store.ts";
import type { Texts } from "../../contract/texts/texts.ts";
import { outcomeOf, readOwner, readSubtask } from "../../subtasks/index.ts";

/** A step of the work with its own sub-steps. */
export interface WorkTree {
  /** "subtask", "peer", "approval", "schedule" or a kind of a newer version. */
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  /** Undefined if it is no longer stored. */
  readonly outcome: string | undefined;
  readonly steps: readonly WorkTree[];
}

type Step = ReplyCause["steps"][number];

/** The steps behind an answer (O13). Unknown kinds of steps keep their name. */
export const workTree = (store: Store, ref: AgentRef, steps: readonly Step[], texts: Texts): Promise<WorkTree[]> =>
  Promise.all(
    steps.map((step) => {
      if (step.kind === "subtask") return subtaskTree(store, ref, step, texts);
      if (step.kind === "approval") return approvalStep(store, ref, step, texts);
      return step.kind === "peer" ? peerTree(store, ref, step, texts) : plain(step);
    }),
  );

const plain = ({ kind, id, name }: Step): WorkTree => ({ kind, id, name, outcome: undefined, steps: [] });

const subtaskTree = async (store: Store, ref: AgentRef, step: Step, texts: Texts): Promise<WorkTree> => {
  const { tenant, agent } = ref;
  const [subtask, { batches }] = await Promise.all([
    readSubtask(store, { tenant, agent, id: step.id }),
    readOwner(store, { tenant, agent, ownerId: step.id }),
  ]);
  if (subtask === undefined) return plain(step);
  const steps = await workTree(store, ref, stepsOf(Object.values(batches)), texts);
  return { ...plain(step), outcome: texts.outcomes[outcomeOf(false, subtask)], steps };
};

type OwnerRecord = Awaited<ReturnType<typeof readOwner>>;

const stepsOf = (batches: readonly OwnerRecord["batches"][string][]): Step[] =>
  batches.flatMap(({ members, calls = [] }) => [
    ...members.map(({ id, name }) => ({ kind: "subtask", id, name })),
    ...calls.map(({ id, name }) => ({ kind: isApprovalId(id) ? "approval" : "peer", id, name })),
  ]);

/** A call that a person had to approve. */
const approvalStep = async (store: Store, { tenant }: AgentRef, step: Step, texts: Texts): Promise<WorkTree> => {
  const approval = await readApproval(store, { tenant, id: step.id });
  return approval === undefined ? plain(step) : { ...plain(step), outcome: stateText(approval, texts) };
};

/** A call to another agent, with the work that this agent delegated, if it runs in the same deployment. */
const peerTree = async (store: Store, { tenant, agent }: AgentRef, step: Step, texts: Texts): Promise<WorkTree> => {
  const call = await readCall(store, { tenant, agent, id: step.id });
  if (call === undefined) return plain(step);
  const { noAnswer, answered, failed } = texts.outcomes;
  const outcome = { open: unreachableNote(call, texts) ?? noAnswer, answered, failed }[call.state];
  const there = { tenant, agent: call.peer };
  const { batches } = await readOwner(store, { ...there, ownerId: peerSessionOf(call) });
  const own = Object.values(batches).filter((batch) => batch.standing.owner.worksFor?.id === call.id);
  return { ...plain(step), outcome, steps: await workTree(store, there, stepsOf(own), texts) };
};
