import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import type { SubtaskAddress } from "../../contract/messages/addresses.ts";
import type { Subtask, SubtaskResult } from "../../contract/messages/subtask.ts";
import { hasEnded } from "../../contract/messages/subtask.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { withArtifacts } from "../../workspaces/index.ts";
import { ownerMessageIdOf } from "../batch/continuation-message.ts";
import { logOwnerMessage, sendToOwner } from "../batch/report-end.ts";
import type { SubtaskDeps } from "../deps.ts";
import { readOwner } from "../owner/owner-record.ts";
import { begun, changeSubtask } from "../record/change-subtask.ts";
import { endSubtask } from "../record/end-subtask.ts";
import { readSubtask, waitForSubtasks } from "../record/subtask-record.ts";
import { outstandingCalls } from "../run/await-delegated-work.ts";
import { filesBeforeCall } from "../run/subtask-files.ts";
import { SubtaskIdInput } from "./spawn-tools.ts";

const NOTE_CHARS = 200;
/** Errors and questions that one subtask may send. */
const MAX_MESSAGES = 20;
const DEFAULT_ANSWER_SECONDS = 120;
const MAX_ANSWER_SECONDS = 600;

const id = SubtaskIdInput.optional().describe("Your own id; it may be left out.");
const Notify = z.strictObject({
  id,
  type: z.enum(["status_update", "permission_request", "question", "error"]),
  content: z.string().min(1).max(8_000).describe("For status_update one line that people can read."),
  priority: z
    .enum(["critical", "high", "normal", "low"])
    .optional()
    .describe("The urgency; your owner sees it with a question, a request or an error."),
  waitSeconds: z.int().min(0).max(MAX_ANSWER_SECONDS).optional().describe("How long to wait for an answer."),
});
const Complete = z.strictObject({
  id,
  status: z.enum(["success", "partial", "failed"]),
  output: z.string().max(60_000).describe("The whole result, in markdown. Your owner sees nothing else of your work."),
  outputFile: z.string().max(500).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  error: z.string().max(4_000).optional().describe("If the status is not success: the reason, and what could help."),
});

/** Tools with which a subagent reports to its owner. */
export const reportTools = (deps: SubtaskDeps): Tool[] => {
  const notify: Tool<z.infer<typeof Notify>> = {
    name: "notify_owner",
    description:
      "Sends a message to the agent you work for: progress (status_update), a problem (error), or a question " +
      "(question, permission_request). The answer arrives as a message to you.",
    input: Notify,
    needs: "talk",
    repeatable: true,
    deadlineMs: (MAX_ANSWER_SECONDS + 30) * 1_000,
    // Only progress is shown to people as it is; the owner puts the rest into words of its own.
    shownTexts: ({ type, content }) => (type === "status_update" ? [content] : []),
    run: async (input, context) => {
      const own = ownAddress(context, input.id);
      if (input.type === "status_update") {
        const note = input.content.replace(/\s+/g, " ").trim().slice(0, NOTE_CHARS);
        const subtask = await change(deps, own, (current) => noted(current, note, context.idempotencyKey));
        // A session reads the record before its next step; a subtask gets a note, as it does of every other message.
        if (subtask.owner.ownerType === "worker") await send(deps, subtask, { ...input, content: note }, context);
        else
          logOwnerMessage(deps, subtask, { id: ownerMessageIdOf(own.id, context.idempotencyKey), ...updateOf(input) });
        deps.activity.touch(subtask);
        return "Noted.";
      }
      return input.type === "error" ? reportError(deps, own, input, context) : askOwner(deps, own, input, context);
    },
  };
  const complete: Tool<z.infer<typeof Complete>> = {
    name: "complete_subtask",
    description: "Reports the result of your work and ends it. Call it once, as the last thing you do.",
    input: Complete,
    needs: "talk",
    repeatable: true,
    endsTurn: true,
    run: async ({ id: given, ...result }, context) => {
      const own = ownAddress(context, given);
      const open = await openChildren(deps, own);
      if (open.length > 0) {
        throw refusal(
          deps,
          context,
          `Not yet: these subtasks of yours are still running: ${open.join(", ")}. Call await_subtasks first.`,
        );
      }
      if ((await outstandingCalls(deps, own)).length > 0) throw refusal(deps, context, UNANSWERED);
      const status = result.status === "failed" ? "failed" : "completed";
      const endedBy = context.idempotencyKey;
      const files = await filesBeforeCall(deps, own, context);
      const whole = { ...withoutUndefined(result), ...(files.length > 0 && { files }) };
      const ending = { status, result: await withChanges(deps, own, whole), endedBy } as const;
      const ended = await endSubtask(deps, own, ending, { isBegun: true });
      if (ended?.endedBy === endedBy) return "Completed.";
      throw refusal(deps, context, `${own.id} has ended already: ${ended?.status ?? "its record has expired"}.`);
    },
  };
  return [notify, complete];
};

const UNANSWERED =
  "Not yet: another agent has not answered you. End your turn with a text instead; you get the answer in a later turn " +
  "and can complete then.";

const refusal = ({ logger }: SubtaskDeps, { delegationContext, traceId }: ToolContext, why: string): AppError => {
  logger.warn({ subtask: delegationContext.subtaskId, traceId, reason: why }, "completion refused");
  return new AppError("conflict", why);
};

const withChanges = async (deps: SubtaskDeps, own: SubtaskAddress, result: SubtaskResult): Promise<SubtaskResult> => {
  const workspaces = deps.workspaces.get(own.agent);
  const subtask = workspaces && (await readSubtask(deps.store, own));
  return subtask ? withArtifacts(deps, workspaces, subtask, result) : result;
};

const ownAddress = ({ tenant, agent, delegationContext }: ToolContext, given: string | undefined): SubtaskAddress => {
  const own = delegationContext.subtaskId;
  if (own === undefined) throw new AppError("forbidden", "Only a subtask can report to an owner.");
  if (given === undefined || given === own) return { tenant, agent, id: own };
  throw new AppError("forbidden", `You are ${own} and cannot report for ${given}.`);
};

const change = async (deps: SubtaskDeps, own: SubtaskAddress, by: (subtask: Subtask) => Subtask): Promise<Subtask> => {
  const now = isoTime(deps.clock.now());
  // The subtask runs, even if the deferred write of its start is still pending.
  const subtask = await changeSubtask(deps, own, (current) =>
    hasEnded(current) ? current : by(current.status === "pending" ? begun(current, now) : current),
  );
  if (subtask !== undefined && !hasEnded(subtask)) return subtask;
  throw new AppError("conflict", `${own.id} has ended: its messages are no longer delivered.`);
};

const updateOf = ({ priority = "normal" }: Notification) => ({ type: "status_update", priority }) as const;

const noted = (subtask: Subtask, note: string, noteKey: string): Subtask =>
  subtask.noteKey === noteKey ? subtask : { ...subtask, note, noteKey, notes: subtask.notes + 1 };

/** Limits the messages, because each one starts a turn of the owner. */
const withMessageCounted = (subtask: Subtask): Subtask => {
  const { words = 0 } = subtask;
  if (words < MAX_MESSAGES) return { ...subtask, words: words + 1 };
  throw new AppError(
    "forbidden",
    `You have sent ${MAX_MESSAGES} messages, which is the maximum. Continue your work, or end it.`,
  );
};

type Notification = z.infer<typeof Notify>;

const reportError = async (
  deps: SubtaskDeps,
  own: SubtaskAddress,
  message: Notification,
  context: ToolContext,
): Promise<string> => {
  const subtask = await change(deps, own, withMessageCounted);
  await send(deps, subtask, message, context);
  return "Sent to your owner.";
};

const askOwner = async (
  deps: SubtaskDeps,
  own: SubtaskAddress,
  message: Notification,
  context: ToolContext,
): Promise<string> => {
  const { idempotencyKey: questionKey, signal } = context;
  const subtask = await change(deps, own, (current) =>
    current.questionKey === questionKey
      ? current
      : { ...withMessageCounted(current), question: message.content, questionKey },
  );
  await send(deps, subtask, message, context);
  const [answered] = await waitForSubtasks(deps, {
    agentRef: own,
    ids: [own.id],
    timeoutMs: (message.waitSeconds ?? DEFAULT_ANSWER_SECONDS) * 1_000,
    signal,
    isDone: ([current]) => current === undefined || hasEnded(current) || current.question === undefined,
  });
  return answered?.question === undefined
    ? "Answered: the answer follows as a message."
    : "No answer yet. Continue without it; a later answer arrives as a message.";
};

const send = ({ clock, ...deps }: SubtaskDeps, subtask: Subtask, message: Notification, context: ToolContext) =>
  sendToOwner({ clock, ...deps }, subtask, {
    id: ownerMessageIdOf(subtask.id, context.idempotencyKey),
    type: message.type,
    priority: message.priority ?? (message.type === "error" ? "high" : "normal"),
    content: message.content,
    timestamp: isoTime(clock.now()),
  });

const openChildren = async (
  { store }: SubtaskDeps,
  { tenant, agent, id: ownerId }: SubtaskAddress,
): Promise<string[]> => {
  const { batches } = await readOwner(store, { tenant, agent, ownerId });
  return Object.values(batches).flatMap(({ members }) =>
    members.filter(({ ended, awaitedBy }) => !ended && awaitedBy === undefined).map(({ id: child }) => child),
  );
};

const withoutUndefined = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
