import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import { hasEnded, type Subtask } from "../../contract/messages/subtask.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import type { DelegationConfig } from "../../turns/limits/index.ts";
import { ceilingMs } from "../../turns/limits/index.ts";
import { returnResults } from "../batch/batch-effects.ts";
import { showResults } from "../continuation/show-results.ts";
import type { SubtaskDeps } from "../deps.ts";
import { readOwner } from "../owner/owner-record.ts";
import { readSubtasks, waitForSubtasks } from "../record/subtask-record.ts";

/** A subtask id as a model writes it; its shape is not checked. */
export const SubtaskIdInput = z.string().max(100);

/** Limit for the results that one call returns, below the limit of a tool's result. */
export const RESULT_BYTES = 28_000;

/** Deadline of calls that wait for subtasks: longer than any ceiling, so that the call itself times out first. */
export const maxWaitMs = ({ interactiveCeilingMs, backgroundCeilingMs }: DelegationConfig): number =>
  Math.max(interactiveCeilingMs, backgroundCeilingMs) + 30_000;

const Input = z.strictObject({
  ids: z.array(SubtaskIdInput).min(1).max(100).optional().describe("Without it: all that you have started."),
  timeoutSeconds: z.number().min(0).max(3_600).optional(),
});

/** Returned results leave their batch; running subtasks stay in it (B2). */
export const awaitSubtasks = (deps: SubtaskDeps, limits: DelegationConfig): Tool<z.infer<typeof Input>> => ({
  name: "await_subtasks",
  description:
    "Waits for subtasks of yours and returns their results now, so that you can use them in this turn. Results that " +
    "are returned here do not come again later. Those that are still running at the timeout go on.",
  input: Input,
  repeatable: true,
  needsDepth: true,
  deadlineMs: maxWaitMs(limits),
  run: async ({ ids, timeoutSeconds }, context) => {
    const { tenant, agent, delegationContext, signal, idempotencyKey } = context;
    const place = { tenant, agent };
    const targets = await targetsOf(deps, context, ids);
    if (targets.length === 0)
      return "There is nothing to wait for: you have no subtasks whose results are outstanding.";
    const ceiling = ceilingMs(limits, delegationContext.background);
    const timeoutMs = Math.min(ceiling, timeoutSeconds === undefined ? ceiling : timeoutSeconds * 1_000);
    const isDone = (all: readonly Subtask[]) => all.every(hasEnded) || all.some(asks);
    const subtasks = await waitForSubtasks(deps, { place, ids: targets, timeoutMs, signal, isDone });
    const ended = subtasks.filter(hasEnded);
    await returnResults(deps, ended, idempotencyKey);
    return report(subtasks);
  },
});

const asks = (subtask: Subtask): boolean => !hasEnded(subtask) && subtask.question !== undefined;

const report = (subtasks: readonly Subtask[]): string => {
  const ended = subtasks.filter(hasEnded).map((subtask) => ({ ...subtask, timedOut: false, subtask }));
  const open = subtasks.filter((subtask) => !hasEnded(subtask));
  return [
    ...(ended.length === 0 ? [] : [showResults(ended, RESULT_BYTES)]),
    ...open.filter(asks).map(({ id, question }) => `${id} asks: ${question}\nAnswer with message_subtask.`),
    ...(open.length === 0 ? [] : [`Still running: ${open.map(({ id, name }) => `${id} (${name})`).join(", ")}`]),
  ].join("\n\n");
};

/** The requested subtasks, or all with outstanding results. A repeated call finds those it has returned before. */
const targetsOf = async (
  { store }: SubtaskDeps,
  { tenant, agent, delegationContext, idempotencyKey }: ToolContext,
  ids: readonly string[] | undefined,
): Promise<string[]> => {
  const { ownerId } = delegationContext.owner;
  if (ids === undefined) {
    const { batches } = await readOwner(store, { tenant, agent, ownerId });
    return Object.values(batches).flatMap(({ firedAt, members }) =>
      members
        .filter(({ reports }) => reports !== "blocking")
        .filter(({ awaitedBy }) => awaitedBy === idempotencyKey || (awaitedBy === undefined && firedAt === undefined))
        .map(({ id }) => id),
    );
  }
  const known = await readSubtasks(store, { tenant, agent }, ids);
  const others = ids.filter((id) => !known.some((subtask) => subtask.id === id && subtask.owner.ownerId === ownerId));
  if (others.length === 0) return [...new Set(ids)];
  throw new AppError("forbidden", `Not subtasks of yours: ${others.join(", ")}. list_subtasks shows those that are.`);
};
