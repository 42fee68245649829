import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import { hasEnded, type Subtask } from "../../contract/messages/subtask.ts";
import type { Tool, ToolContext, ToolOutput } from "../../contract/tool.ts";
import { dropInvisible } from "../../lib/index.ts";
import { ceilingMs, type DelegationConfig } from "../../turns/limits/index.ts";
import { returnResults } from "../batch/batch-effects.ts";
import { filesOfResults, showResults } from "../batch/continuation-prompt.ts";
import { cancelSubtask } from "../batch/report-end.ts";
import type { SubtaskDeps } from "../deps.ts";
import type { Member } from "../owner/batch.ts";
import { readOwner } from "../owner/owner-record.ts";
import { readSubtasks, waitForSubtasks } from "../record/subtask-record.ts";
import { type Spawned, spawn, type Task } from "../run/spawn.ts";

/** A subtask id as a model writes it; its shape is not checked. */
export const SubtaskIdInput = z.string().max(100);

/** Limit for the results that one call returns, below the limit of a tool's result. */
const RESULT_BYTES = 28_000;

/** Deadline of calls that wait for subtasks: longer than any ceiling, so that the call itself times out first. */
const maxWaitMs = ({ interactiveCeilingMs, backgroundCeilingMs }: DelegationConfig): number =>
  Math.max(interactiveCeilingMs, backgroundCeilingMs) + 30_000;

const oneLine = z
  .string()
  .transform((text) =>
    dropInvisible(text)
      .replace(/[\s\p{Cc}]+/gu, " ")
      .trim(),
  )
  .pipe(z.string().min(1).max(80));
const TaskInput = z.strictObject({
  name: oneLine.describe("A few words that people see while it runs, e.g. History of lighthouses"),
  prompt: z.string().min(1).max(20_000).describe("All the information it needs: it cannot see this conversation."),
  expectedOutput: z.string().max(4_000).optional().describe("A description of a good result."),
  agentType: oneLine.optional().describe("The role of the worker, e.g. researcher"),
  model: z
    .string()
    .max(100)
    .optional()
    .describe("The name of another model, if one is listed. Default: your own model."),
  targetFiles: z
    .array(z.string().min(1).max(300))
    .max(50)
    .optional()
    .describe(
      "Paths of the files and folders that it will change. You learn if running subtasks change the same ones.",
    ),
});
const options = {
  blocking: z.boolean().optional().describe("true: wait for the result, and return it from this call."),
  consolidate: z
    .boolean()
    .optional()
    .describe("false: each subtask reports separately when it ends. By default one answer combines all results."),
};
const One = z.strictObject({ ...TaskInput.shape, ...options });
const Several = z.strictObject({ tasks: z.array(TaskInput).min(1), ...options });

type SpawnOptions = { readonly blocking?: boolean | undefined; readonly consolidate?: boolean | undefined };

export const spawnTools = (deps: SubtaskDeps, limits: DelegationConfig, models: readonly string[] = []): Tool[] => {
  const deadlineMs = maxWaitMs(limits);
  const listed = models.length === 0 ? "" : ` Models for subtasks: ${models.join(", ")}.`;
  const run = async (
    tasks: readonly Task[],
    options: SpawnOptions,
    context: ToolContext,
  ): Promise<string | ToolOutput> => {
    checkModels(tasks, models);
    const reports = reportsBy(options);
    const spawned = await spawn(deps, limits, context, tasks, reports);
    if (spawned.accepted.length === 0) throw new AppError("forbidden", spawned.refusal ?? "Refused.");
    return reports === "blocking" ? waitFor(deps, limits, context, spawned) : acceptedText(spawned, reports);
  };
  const one: Tool<z.infer<typeof One>> = {
    name: "spawn_subtask",
    description:
      "Starts a subtask that runs in the background. Use it for long work that can be described on its own; do short " +
      `work yourself.${listed}`,
    input: One,
    needs: "delegate",
    repeatable: true,
    delegates: "subtask",
    needsDepth: true,
    deadlineMs,
    shownTexts: (task) => namesOf([task]),
    run: ({ blocking, consolidate, ...task }, context) => run([task], { blocking, consolidate }, context),
  };
  const several: Tool<z.infer<typeof Several>> = {
    name: "spawn_parallel_subtasks",
    description: `Like spawn_subtask, for several independent subtasks that run at the same time.${listed}`,
    input: Several,
    needs: "delegate",
    repeatable: true,
    delegates: "subtask",
    needsDepth: true,
    deadlineMs,
    shownTexts: ({ tasks }) => namesOf(tasks),
    run: ({ tasks, ...options }, context) => run(tasks, options, context),
  };
  return [one, several];
};

/** Nothing starts if a model is unknown: a subtask on another model would not be the requested one. */
const checkModels = (tasks: readonly Task[], models: readonly string[]): void => {
  const unknown = tasks.map(({ model }) => model).find((model) => model !== undefined && !models.includes(model));
  if (unknown === undefined) return;
  const known = models.length === 0 ? "leave model out: there is no other" : `use one of ${models.join(", ")}, or none`;
  throw new AppError("bad-input", `There is no model "${unknown}" for subtasks; ${known}. No subtask was started.`);
};

const namesOf = (tasks: readonly Pick<z.infer<typeof TaskInput>, "name" | "agentType">[]): string[] =>
  tasks.flatMap(({ name, agentType }) => [name, ...(agentType === undefined ? [] : [agentType])]);

const reportsBy = ({ blocking = false, consolidate = true }: SpawnOptions): Member["reports"] => {
  if (blocking) return "blocking";
  return consolidate ? "batch" : "alone";
};

const acceptedText = ({ accepted, refusal, overlaps }: Spawned, reports: Member["reports"]): string =>
  [
    `Accepted, working in the background:\n${accepted.map(({ id, name }) => `- ${id}: ${name}`).join("\n")}`,
    ...(refusal === undefined ? [] : [refusal]),
    ...(overlaps === undefined ? [] : [overlaps]),
    reports === "batch"
      ? "You get all results together in a later turn, in which you write the answer. Now end this turn with one short " +
        "sentence about the work in progress; do not guess results."
      : "You get each result in a separate later turn. Now end this turn with one short sentence.",
  ].join("\n\n");

/** Waits for blocking subtasks and cancels those that time out, because no later turn would get their results. */
const waitFor = async (
  deps: SubtaskDeps,
  limits: DelegationConfig,
  context: ToolContext,
  { accepted, refusal, overlaps }: Spawned,
): Promise<ToolOutput> => {
  const { tenant, agent, signal, delegationContext } = context;
  const ids = accepted.map(({ id }) => id);
  const timeoutMs = ceilingMs(limits, delegationContext.background);
  const agentRef = { tenant, agent };
  const waited = await waitForSubtasks(deps, {
    agentRef,
    ids,
    timeoutMs,
    signal,
    isDone: (all) => all.every(hasEnded),
  });
  for (const { id } of waited.filter((subtask) => !hasEnded(subtask))) {
    await cancelSubtask(deps, { ...agentRef, id }, "it took too long");
  }
  const ended = await readSubtasks(deps.store, agentRef, ids);
  await returnResults(deps, ended, context.idempotencyKey);
  const reported = accepted.map(({ id, name }) => ({
    id,
    name,
    timedOut: waited.some((subtask) => subtask.id === id && !hasEnded(subtask)),
    subtask: ended.find((subtask) => subtask.id === id),
  }));
  const text = [showResults(reported, RESULT_BYTES), refusal, overlaps]
    .filter((part) => part !== undefined)
    .join("\n\n");
  return { text, stored: filesOfResults(reported) };
};

const AwaitInput = z.strictObject({
  ids: z.array(SubtaskIdInput).min(1).max(100).optional().describe("Default: all your subtasks."),
  timeoutSeconds: z.number().min(0).max(3_600).optional(),
});

/** Returned results leave their batch; running subtasks stay in it (B2). */
export const awaitSubtasks = (deps: SubtaskDeps, limits: DelegationConfig): Tool<z.infer<typeof AwaitInput>> => ({
  name: "await_subtasks",
  description:
    "Waits for your subtasks and returns their results, so that you can use them in this turn. Returned results are " +
    "not reported again. Subtasks that still run at the timeout continue.",
  input: AwaitInput,
  needs: "talk",
  repeatable: true,
  needsDepth: true,
  deadlineMs: maxWaitMs(limits),
  run: async ({ ids, timeoutSeconds }, context) => {
    const { tenant, agent, delegationContext, signal, idempotencyKey } = context;
    const agentRef = { tenant, agent };
    const targets = await targetsOf(deps, context, ids);
    if (targets.length === 0) return "There is nothing to wait for: you have no subtasks with outstanding results.";
    const ceiling = ceilingMs(limits, delegationContext.background);
    const timeoutMs = Math.min(ceiling, timeoutSeconds === undefined ? ceiling : timeoutSeconds * 1_000);
    const isDone = (all: readonly Subtask[]) => all.every(hasEnded) || all.some(asks);
    const subtasks = await waitForSubtasks(deps, { agentRef, ids: targets, timeoutMs, signal, isDone });
    const ended = subtasks.filter(hasEnded);
    await returnResults(deps, ended, idempotencyKey);
    const reported = ended.map((subtask) => ({ timedOut: false, subtask }));
    return { text: report(subtasks), stored: filesOfResults(reported) };
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
  throw new AppError("forbidden", `Not your subtasks: ${others.join(", ")}. list_subtasks lists yours.`);
};
