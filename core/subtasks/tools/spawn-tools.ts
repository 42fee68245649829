import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import { hasEnded } from "../../contract/messages/subtask.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { dropInvisible } from "../../lib/index.ts";
import type { DelegationConfig } from "../../turns/limits/index.ts";
import { ceilingMs } from "../../turns/limits/index.ts";
import { returnResults } from "../batch/batch-effects.ts";
import { cancelSubtask } from "../batch/cancel-subtask.ts";
import { showResults } from "../continuation/show-results.ts";
import type { SubtaskDeps } from "../deps.ts";
import type { Member } from "../owner/batch.ts";
import { readSubtasks, waitForSubtasks } from "../record/subtask-record.ts";
import { type Spawned, spawn, type Task } from "../run/spawn.ts";
import { maxWaitMs, RESULT_BYTES } from "./await-subtasks-tool.ts";

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
  prompt: z.string().min(1).max(20_000).describe("Everything it needs to know: it sees nothing of this conversation."),
  expectedOutput: z.string().max(4_000).optional().describe("What a good result looks like."),
  agentType: oneLine.optional().describe("What kind of worker it is, e.g. researcher"),
});
const how = {
  blocking: z.boolean().optional().describe("true: wait, and get the result as the result of this call."),
  consolidate: z
    .boolean()
    .optional()
    .describe("false: each reports on its own as soon as it is done. By default one answer is made of all."),
};
const One = z.strictObject({ ...TaskInput.shape, ...how });
const Several = z.strictObject({ tasks: z.array(TaskInput).min(1), ...how });

type How = { readonly blocking?: boolean | undefined; readonly consolidate?: boolean | undefined };

export const spawnTools = (deps: SubtaskDeps, limits: DelegationConfig): Tool[] => {
  const deadlineMs = maxWaitMs(limits);
  const run = async (tasks: readonly Task[], options: How, context: ToolContext): Promise<string> => {
    const reports = reportsBy(options);
    const spawned = await spawn(deps, limits, context, tasks, reports);
    if (spawned.accepted.length === 0) throw new AppError("forbidden", spawned.refusal ?? "Refused.");
    return reports === "blocking" ? waitFor(deps, limits, context, spawned) : acceptedText(spawned, reports);
  };
  const one: Tool<z.infer<typeof One>> = {
    name: "spawn_subtask",
    description:
      "Gives a piece of work to a helper that works in the background. Use it for work that takes long and can be " +
      "described on its own; do short things yourself.",
    input: One,
    repeatable: true,
    delegates: "subtask",
    needsDepth: true,
    deadlineMs,
    run: ({ blocking, consolidate, ...task }, context) => run([task], { blocking, consolidate }, context),
  };
  const several: Tool<z.infer<typeof Several>> = {
    name: "spawn_parallel_subtasks",
    description: "Like spawn_subtask, for several independent pieces of work that are done at the same time.",
    input: Several,
    repeatable: true,
    delegates: "subtask",
    needsDepth: true,
    deadlineMs,
    run: ({ tasks, ...options }, context) => run(tasks, options, context),
  };
  return [one, several];
};

const reportsBy = ({ blocking = false, consolidate = true }: How): Member["reports"] => {
  if (blocking) return "blocking";
  return consolidate ? "batch" : "alone";
};

const acceptedText = ({ accepted, refusal }: Spawned, reports: Member["reports"]): string =>
  [
    `Accepted, working in the background:\n${accepted.map(({ id, name }) => `- ${id}: ${name}`).join("\n")}`,
    ...(refusal === undefined ? [] : [refusal]),
    reports === "batch"
      ? "Their results come to you together in a later turn, where you write the answer. Now end this turn with a short " +
        "word on what is being worked on; do not guess at results."
      : "Each result comes to you in a later turn of its own. Now end this turn with a short word.",
  ].join("\n\n");

/** Waits for blocking subtasks and cancels those that time out, because no later turn would get their results. */
const waitFor = async (
  deps: SubtaskDeps,
  limits: DelegationConfig,
  context: ToolContext,
  { accepted, refusal }: Spawned,
): Promise<string> => {
  const { tenant, agent, signal, delegationContext } = context;
  const ids = accepted.map(({ id }) => id);
  const timeoutMs = ceilingMs(limits, delegationContext.background);
  const place = { tenant, agent };
  const waited = await waitForSubtasks(deps, { place, ids, timeoutMs, signal, isDone: (all) => all.every(hasEnded) });
  for (const { id } of waited.filter((subtask) => !hasEnded(subtask))) {
    await cancelSubtask(deps, { ...place, id }, "it took too long");
  }
  const ended = await readSubtasks(deps.store, place, ids);
  await returnResults(deps, ended, context.idempotencyKey);
  const reported = accepted.map(({ id, name }) => ({
    id,
    name,
    timedOut: waited.some((subtask) => subtask.id === id && !hasEnded(subtask)),
    subtask: ended.find((subtask) => subtask.id === id),
  }));
  return [showResults(reported, RESULT_BYTES), ...(refusal === undefined ? [] : [refusal])].join("\n\n");
};
