import { hash } from "node:crypto";
import { AppError, messageOf } from "../../contract/app-error.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { hasEnded, inheritedBySubtask, type Subtask } from "../../contract/messages/subtask.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { type ToolContext, workContextOfTool } from "../../contract/tool.ts";
import { TurnYielded } from "../../turns/index.ts";
import { type DelegationConfig, maxDepth } from "../../turns/limits/index.ts";
import { applyBatchEffects } from "../batch/batch-effects.ts";
import { batchOf, countLost, renameMember } from "../batch/batch-transitions.ts";
import { reportEnd } from "../batch/report-end.ts";
import { reserve } from "../batch/reserve.ts";
import type { SubtaskDeps } from "../deps.ts";
import type { Member } from "../owner/batch.ts";
import { normalisedPath, overlapText } from "../owner/target-files.ts";
import { endSubtask } from "../record/end-subtask.ts";
import { readSubtask, writeSubtask } from "../record/subtask-record.ts";

export interface Task {
  readonly name: string;
  readonly prompt: string;
  readonly expectedOutput?: string | undefined;
  readonly agentType?: string | undefined;
  /** A name of the agent's models for subtasks. */
  readonly model?: string | undefined;
  readonly targetFiles?: readonly string[] | undefined;
  readonly retryOf?: string | undefined;
}

export interface Spawned {
  readonly accepted: readonly Member[];
  /** Text for the model; undefined if all were accepted. */
  readonly refusal: string | undefined;
  /** Text for the model if running subtasks announced to change the same files. */
  readonly overlaps?: string | undefined;
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
  const depthLeft = maxDepth(limits, delegationContext.background) - delegationContext.depth;
  if (depthLeft <= 0)
    return refused(deps, context, tasks.length, "Refused: subtasks may not nest deeper here. Do the work yourself.");
  // Tasks beyond the limit can never be accepted.
  const requested = tasks.slice(0, limits.perTurn).map(({ name, targetFiles = [] }, index) => {
    const callKey = `${idempotencyKey}/${index}`;
    const files = targetFiles.map(normalisedPath);
    return { id: subtaskIdOf(callKey), callKey, name, reports, ...(files.length > 0 && { targetFiles: files }) };
  });
  // Without the right, subtasks run without a workspace.
  const workspace = context.permit.allows("workspace") ? await workspaceFor(deps, context, requested) : undefined;
  if (workspace instanceof AppError) {
    return refused(deps, context, tasks.length, `Refused: ${workspace.message}`);
  }
  const overBudget = await takeSubtasks(deps, context, requested);
  if (overBudget !== undefined) return refused(deps, context, tasks.length, `Refused: ${overBudget}`);
  const reserved = await reserve(deps, limits, context, requested);
  const { accepted: members, refused: refusedCount, reason } = reserved;
  await deps.checkpoint("spawn.reserved");
  const accepted = await Promise.all(
    members.map((member) => {
      const task = tasks[requested.findIndex(({ callKey }) => callKey === member.callKey)] as Task;
      return start(deps, context, member, { ...task, workspace }).catch((error) =>
        failUnstarted(deps, context, member, error),
      );
    }),
  );
  context.budget?.giveBack({ subtasks: refusedCount });
  const left = refusedCount + tasks.length - requested.length;
  const overlaps = overlapText(members, reserved.running);
  if (left === 0) return { accepted, refusal: undefined, overlaps };
  return { ...refused(deps, context, left, `Refused ${left} of ${tasks.length}: ${reason}.`), accepted, overlaps };
};

/** Counts the subtasks in the budgets of the work (R2). */
const takeSubtasks = async (
  { store }: SubtaskDeps,
  { tenant, agent, budget }: ToolContext,
  requested: readonly Pick<Member, "id">[],
): Promise<string | undefined> => {
  const taken = { subtasks: requested.length };
  const refusal = await budget?.take(taken);
  if (budget === undefined || refusal !== undefined) return refusal;
  const names = requested.map(({ id }) => `${agent}/${id}`);
  const isOpen = async (name: string) => {
    const [ownAgent = "", id = ""] = name.split("/");
    const subtask = await readSubtask(store, { tenant, agent: ownAgent, id });
    return subtask !== undefined && !hasEnded(subtask);
  };
  const full = await budget.open("subtasks", names, isOpen);
  if (full !== undefined) budget.giveBack(taken);
  return full;
};

const refused = ({ logger }: SubtaskDeps, context: ToolContext, count: number, refusal: string): Spawned => {
  const { turnId, delegationContext, traceId } = context;
  const { owner, depth, rootTurnId: planId } = delegationContext;
  logger.warn({ turnId, planId, depth, owner: owner.ownerId, count, reason: refusal, traceId }, "subtasks refused");
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
  const existing = await readSubtask(deps.store, { tenant, agent, id: first.id });
  if (existing?.callKey === first.callKey) return existing.workspace;
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
    ...(task.model !== undefined && { model: task.model }),
    ...(member.targetFiles !== undefined && { targetFiles: member.targetFiles }),
    reports: member.reports,
    permissions: { tools: tools.map(({ name }) => name) },
    ...(task.workspace !== undefined && { workspace: task.workspace }),
    status: "pending",
    createdAt,
    runs: 0,
    yields: 0,
    notes: 0,
    inbox: [],
    ...inheritedBySubtask(workContextOfTool(context)),
  };
};

/**
 * Writes the record of a reserved subtask; idempotent. Ids are short: if another subtask has this one, the subtask gets
 * a new id, in its batch too. Resolves to the id.
 */
const createSubtask = async (deps: SubtaskDeps, reserved: Subtask): Promise<string> => {
  for (let subtask = reserved, next = 1; ; ) {
    if ((await writeSubtask(deps.store, subtask, 0)) !== undefined) {
      reportCreation(deps, subtask);
      return subtask.id;
    }
    const found = await readSubtask(deps.store, subtask);
    if (found?.callKey === subtask.callKey) return subtask.id;
    if (found === undefined) continue;
    subtask = { ...subtask, id: subtaskIdOf(subtask.callKey, next++) };
    await renameMember(deps, batchOf(subtask), subtask);
  }
};

const reportCreation = ({ bus, logger }: SubtaskDeps, subtask: Subtask): void => {
  const { tenant, agent, id, depth, planId, parentTurnId: turnId, owner, reports, traceId } = subtask;
  bus.signal(subjectsOf(tenant).subtaskChanged(agent), subtask);
  logger.info({ subtask: id, depth, planId, turnId, owner: owner.ownerId, reports, traceId }, "subtask created");
};

/**
 * Derives the subtask's id from the tool call. `next` gives another one after a collision. The ids of one call are
 * adjacent, so that the store writes one page of its index instead of one for each.
 */
export const subtaskIdOf = (callKey: string, next = 0): string => {
  const end = callKey.lastIndexOf("/");
  const position = Number(callKey.slice(end + 1))
    .toString(16)
    .padStart(2, "0");
  const call = hash("sha256", JSON.stringify([callKey.slice(0, end), next]), "hex");
  return `subtask-${call.slice(0, 8 - position.length)}${position}`;
};

/** Fails a reserved subtask that could not be started (S7). A turn that yields leaves it to the next process. */
const failUnstarted = async (
  deps: SubtaskDeps,
  { tenant, agent, turnId, delegationContext, traceId, signal }: ToolContext,
  member: Member,
  error: unknown,
): Promise<Member> => {
  if (signal.reason instanceof TurnYielded) throw error;
  const address = { tenant, agent, id: member.id };
  deps.logger.warn({ subtask: member.id, turnId, traceId, error: messageOf(error) }, "could not start subtask");
  // Another subtask may have its id.
  if ((await readSubtask(deps.store, address))?.callKey !== member.callKey) {
    const batch = { tenant, agent, ownerId: delegationContext.owner.ownerId, turnId };
    await applyBatchEffects(deps, batch, await countLost(deps, batch, [member.id]));
    return member;
  }
  const result = { status: "failed", output: "", error: `It could not be started: ${messageOf(error)}.` } as const;
  const ended = await endSubtask(deps, address, { status: "failed", result });
  if (ended !== undefined) await reportEnd(deps, ended);
  return member;
};
