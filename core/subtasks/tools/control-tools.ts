import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import { hasEnded, type Subtask, type SubtaskNote } from "../../contract/messages/subtask.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { mayContinue } from "../../delivery/index.ts";
import type { DelegationConfig } from "../../turns/limits/index.ts";
import { cancelSubtask } from "../batch/report-end.ts";
import type { SubtaskDeps } from "../deps.ts";
import { readOwner } from "../owner/owner-record.ts";
import { changeSubtask, withNote } from "../record/change-subtask.ts";
import { actorOf, askerOf, ownSubtask } from "../record/subtask-access.ts";
import { readSubtasks } from "../record/subtask-record.ts";
import { spawn } from "../run/spawn.ts";
import { SubtaskIdInput } from "./spawn-tools.ts";

/** Notes of the owner per subtask; those of its children and of other agents do not count. */
const MAX_NOTES = 20;

const Message = z.strictObject({
  id: SubtaskIdInput,
  type: z.enum(["answer", "refinement", "retry_request"]),
  content: z.string().min(1).max(8_000),
});
const Cancel = z.strictObject({ id: SubtaskIdInput });
const List = z.object({});

/** Tools to message, cancel and list subtasks. */
export const controlTools = (deps: SubtaskDeps, limits: DelegationConfig): Tool[] => {
  const message: Tool<z.infer<typeof Message>> = {
    name: "message_subtask",
    description:
      "Sends a message to a subtask: the answer to its question, a refinement of its task, or a retry_request, which " +
      "runs an ended subtask again.",
    input: Message,
    needs: "delegate",
    repeatable: true,
    delegates: "subtask",
    needsDepth: true,
    run: async ({ id, type, content }, context) => {
      const { tenant, agent, idempotencyKey } = context;
      const subtask = await ownSubtask(deps, { tenant, agent, id }, actorOf(context));
      if (hasEnded(subtask)) return retry(deps, limits, context, subtask, type, content);
      // Otherwise people who share a room could use each other's rights (R1).
      if (!context.permit.includes(subtask.asker)) {
        throw new AppError(
          "forbidden",
          `${id} may do more than this person: only ${subtask.asker.name} can direct it.`,
        );
      }
      if (type === "retry_request") return `${id} is still ${subtask.status}. Wait for its end, or cancel it first.`;
      const note = { id: idempotencyKey, type, content, at: isoTime(deps.clock.now()) };
      const changed = await changeSubtask(deps, subtask, (current) => withOwnerNote(current, note));
      const isDelivered = changed?.inbox.some((known) => known.id === idempotencyKey);
      return isDelivered ? `Sent. ${id} reads it before its next step.` : `Not sent: ${id} has ended.`;
    },
  };
  const cancel: Tool<z.infer<typeof Cancel>> = {
    name: "cancel_subtask",
    description: "Cancels one of your subtasks, with all work that it has delegated.",
    input: Cancel,
    needs: "talk",
    repeatable: true,
    needsDepth: true,
    run: async ({ id }, context) => {
      const { tenant, agent } = context;
      const subtask = await ownSubtask(deps, { tenant, agent, id }, askerOf(context));
      if (hasEnded(subtask)) return `${id} has ended already: ${subtask.status}.`;
      const ended = await cancelSubtask(deps, subtask, "its owner no longer needs it");
      return ended?.status === "cancelled" ? `${id} is cancelled.` : `${id} ended just before: ${ended?.status}.`;
    },
  };
  const list: Tool<z.infer<typeof List>> = {
    name: "list_subtasks",
    description: "Lists the subtasks you have started, with their state and last status.",
    input: List,
    needs: "talk",
    repeatable: true,
    needsDepth: true,
    run: async (_input, { tenant, agent, delegationContext }) => {
      const { batches } = await readOwner(deps.store, { tenant, agent, ownerId: delegationContext.owner.ownerId });
      const ids = Object.values(batches).flatMap(({ members }) => members.map(({ id }) => id));
      const subtasks = await readSubtasks(deps.store, { tenant, agent }, ids);
      return subtasks.length === 0 ? "You have started no subtasks." : subtasks.map(lineOf).join("\n");
    },
  };
  return [message, cancel, list];
};

const withOwnerNote = (subtask: Subtask, note: SubtaskNote): Subtask => {
  const noted = withNote(subtask, note);
  if (noted === subtask) return subtask;
  const ofOwner = subtask.inbox.filter(({ child, from }) => child === undefined && from === undefined);
  if (ofOwner.length >= MAX_NOTES) {
    throw new AppError(
      "too-large",
      `${subtask.id} has reached the maximum of ${MAX_NOTES} messages; cancel it instead.`,
    );
  }
  const { question, ...rest } = noted;
  return note.type === "answer" ? rest : noted;
};

/** A retry is a new subtask that refers to the ended one, which never changes (S4). */
const retry = async (
  deps: SubtaskDeps,
  limits: DelegationConfig,
  context: ToolContext,
  ended: Subtask,
  type: string,
  content: string,
): Promise<string> => {
  if (type !== "retry_request") return `${ended.id} has ended: ${ended.status}. Use retry_request to start it again.`;
  // A retry has the audience of this conversation, so work from another one must not be shown here (D3).
  const here = { tenant: context.tenant, conversation: context.audience.conversation };
  if (!(await mayContinue(deps.store, ended, here))) {
    return `${ended.id} began in another conversation. It can only be started again there.`;
  }
  if (ended.retryOf !== undefined) return `${ended.id} was a retry already. Spawn a new subtask instead.`;
  const { name, prompt, expectedOutput, agentType } = ended;
  const task = { name, agentType, expectedOutput, prompt: `${prompt}\n\nThis time: ${content}`, retryOf: ended.id };
  const { accepted, refusal } = await spawn(deps, limits, context, [task], "batch");
  const [again] = accepted;
  if (again === undefined) throw new AppError("forbidden", refusal ?? "Refused.");
  return `${ended.id} stays unchanged. ${again.id} retries it; you get the result in a later turn.`;
};

const lineOf = ({ id, name, status, note, question, depth, owner, createdAt }: Subtask): string =>
  [
    `- ${id} "${name}": ${status}, since ${createdAt}, depth ${depth}`,
    ...(note === undefined ? [] : [`last status: ${note}`]),
    ...(question === undefined || status !== "running" ? [] : [`asks: ${question}`]),
    ...(owner.sessionUri === undefined ? [] : [`started in ${owner.sessionUri}`]),
  ].join("; ");
