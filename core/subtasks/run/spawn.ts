import { AppError } from "../../contract/app-error.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { inheritedBySubtask, type Subtask } from "../../contract/messages/subtask.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { type ToolContext, workContextOfTool } from "../../contract/tool.ts";
import type { DelegationConfig } from "../../turns/limits/index.ts";
import { deepest } from "../../turns/limits/index.ts";
import { reserve } from "../batch/reserve.ts";
import type { SubtaskDeps } from "../deps.ts";
import type { Member } from "../owner/batch.ts";
import { readSubtask } from "../record/subtask-record.ts";
import { createSubtask, failUnstarted, subtaskIdOf } from "./create-subtask.ts";

export interface Task {
  readonly name: string;
  readonly prompt: string;
  readonly expectedOutput?: string | undefined;
  readonly agentType?: string | undefined;
  readonly retryOf?: string | undefined;
}

export interface Spawned {
  readonly accepted: readonly Member[];
  /** Text for the model; undefined if all were accepted. */
  readonly refusal: string | undefined;
}

/**
 * Starts subtasks: reserves them within the limits, writes their records, publishes their runs. Every step has a fixed
 * id, so a call that is repeated after a crash continues at the step that failed.
 */
export const spawn = async (
  deps: SubtaskDeps,
  limits: DelegationConfig,
  context: ToolContext,
  tasks: readonly Task[],
  reports: Member["reports"],
): Promise<Spawned> => {
  const { delegationContext, idempotencyKey } = context;
  const depthLeft = deepest(limits, delegationContext.background) - delegationContext.depth;
  if (depthLeft <= 0)
    return refused(deps, context, tasks.length, "Refused: subtasks may not nest deeper here. Do it yourself.");
  // Tasks beyond the limit can never be accepted.
  const wanted = tasks.slice(0, limits.perTurn).map(({ name }, index) => {
    const callKey = `${idempotencyKey}/${index}`;
    return { id: subtaskIdOf(callKey), callKey, name, reports };
  });
  const workspace = await workspaceFor(deps, context, wanted);
  if (workspace instanceof AppError) {
    return refused(deps, context, tasks.length, `Refused: ${workspace.message}`);
  }
  const { accepted: members, refused: without, reason } = await reserve(deps, limits, context, wanted);
  await deps.checkpoint("spawn.reserved");
  const accepted = await Promise.all(
    members.map((member) => {
      const task = tasks[wanted.findIndex(({ callKey }) => callKey === member.callKey)] as Task;
      return start(deps, context, member, { ...task, workspace }).catch((error) =>
        failUnstarted(deps, context, member, error),
      );
    }),
  );
  const left = without + tasks.length - wanted.length;
  if (left === 0) return { accepted, refusal: undefined };
  return { ...refused(deps, context, left, `Refused ${left} of ${tasks.length}: ${reason}.`), accepted };
};

const refused = ({ logger }: SubtaskDeps, context: ToolContext, count: number, refusal: string): Spawned => {
  const { turnId, delegationContext, traceId } = context;
  const { owner, depth, rootTurnId: planId } = delegationContext;
  logger.warn({ turnId, planId, depth, owner: owner.ownerId, count, refusal, traceId }, "subtasks refused");
  return { accepted: [], refusal };
};

/** The base commit, if the agent has a repository. A call repeated after a crash uses the commit of its first run. */
const workspaceFor = async (
  deps: SubtaskDeps,
  { tenant, agent }: ToolContext,
  [first]: readonly Pick<Member, "id" | "callKey">[],
): Promise<Subtask["workspace"] | AppError> => {
  const workspaces = deps.workspaces.get(agent);
  if (workspaces === undefined || first === undefined) return undefined;
  const begun = await readSubtask(deps.store, { tenant, agent, id: first.id });
  if (begun?.callKey === first.callKey) return begun.workspace;
  try {
    return { base: await workspaces.base() };
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
};

const start = async (
  deps: SubtaskDeps,
  context: ToolContext,
  member: Member,
  task: Task & Pick<Subtask, "workspace">,
): Promise<Member> => {
  context.signal.throwIfAborted();
  const subtask = subtaskFrom(context, member, task, isoTime(deps.clock.now()));
  const { tenant, agent } = subtask;
  const id = await createSubtask(deps, subtask);
  await deps.checkpoint("spawn.created", id);
  await deps.bus.publish(subjectsOf(tenant).subtaskRun(agent), { tenant, agent, id }, { id, key: id });
  await deps.checkpoint("spawn.published");
  deps.activity.touch(subtask);
  return { ...member, id };
};

const subtaskFrom = (
  context: ToolContext,
  member: Member,
  task: Task & Pick<Subtask, "workspace">,
  createdAt: string,
): Subtask => {
  const { tenant, agent, turnId, tools } = context;
  return {
    ...inheritedBySubtask(workContextOfTool(context)),
    id: member.id,
    tenant,
    agent,
    callKey: member.callKey,
    parentTurnId: turnId,
    ...(task.retryOf !== undefined && { retryOf: task.retryOf }),
    agentType: task.agentType ?? "helper",
    name: task.name,
    prompt: task.prompt,
    expectedOutput: task.expectedOutput ?? "",
    reports: member.reports,
    permissions: { tools: tools.map(({ name }) => name) },
    ...(task.workspace !== undefined && { workspace: task.workspace }),
    status: "pending",
    createdAt,
    runs: 0,
    yields: 0,
    notes: 0,
    inbox: [],
  };
};
