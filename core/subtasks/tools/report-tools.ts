import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import { isoTime } from "../../contract/clock.ts";
import type { Subtask, SubtaskResult } from "../../contract/subtask.ts";
import { hasEnded } from "../../contract/subtask.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { withArtifacts } from "../../workspaces/index.ts";
import { begun, changeSubtask, endSubtask } from "../change-subtask.ts";
import { wordIdOf } from "../continuation-ids.ts";
import { outstandingCalls } from "../outstanding-calls.ts";
import { readOwner } from "../owner-record.ts";
import { logWord, sendToOwner } from "../report-end.ts";
import type { SubtaskParts } from "../subtask-parts.ts";
import { readSubtask } from "../subtask-record.ts";
import { waitUntil } from "../wait-until.ts";
import { GivenId } from "./given-id.ts";

const NOTE_CHARS = 200;
/** Errors and questions of one subtask that its owner hears. */
const MOST_WORDS = 20;
const DEFAULT_ANSWER_SECONDS = 120;
const MOST_ANSWER_SECONDS = 600;

const id = GivenId.optional().describe("Your own id; it may be left out.");
const Notify = z.strictObject({
  id,
  type: z.enum(["status_update", "permission_request", "question", "error"]),
  content: z.string().min(1).max(8_000).describe("For status_update one line that people can read."),
  priority: z
    .enum(["critical", "high", "normal", "low"])
    .optional()
    .describe("How urgent it is; your owner sees it with a question, a request or an error."),
  waitSeconds: z.int().min(0).max(MOST_ANSWER_SECONDS).optional().describe("How long to wait for an answer."),
});
const Complete = z.strictObject({
  id,
  status: z.enum(["success", "partial", "failed"]),
  output: z.string().max(60_000).describe("The whole result, in markdown. Your owner sees nothing else of your work."),
  outputFile: z.string().max(500).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  error: z.string().max(4_000).optional().describe("If it is not a success: why, and what could be done."),
});

/** With these a subagent speaks to its owner. Nobody else has them. */
export const reportTools = (parts: SubtaskParts): Tool[] => {
  const notify: Tool<z.infer<typeof Notify>> = {
    name: "notify_owner",
    description:
      "Tells whoever you work for how it goes (status_update), that something is wrong (error), or asks them something " +
      "(question, permission_request). An answer comes as a message to you.",
    input: Notify,
    repeatable: true,
    deadlineMs: (MOST_ANSWER_SECONDS + 30) * 1_000,
    run: async (input, context) => {
      const own = ownAddress(context, input.id);
      if (input.type === "status_update") {
        const note = input.content.replace(/\s+/g, " ").trim().slice(0, NOTE_CHARS);
        const subtask = await change(parts, own, (is) => noted(is, note, context.idempotencyKey));
        const { type, priority = "normal" } = input;
        logWord(parts, subtask, { id: wordIdOf(own.id, context.idempotencyKey), type, priority });
        parts.activity.touch(subtask);
        return "Noted.";
      }
      return input.type === "error" ? tell(parts, own, input, context) : ask(parts, own, input, context);
    },
  };
  const complete: Tool<z.infer<typeof Complete>> = {
    name: "complete_subtask",
    description: "Reports the result of your work and ends it. Call it once, as the last thing you do.",
    input: Complete,
    repeatable: true,
    endsTurn: true,
    run: async ({ id: given, ...result }, context) => {
      const own = ownAddress(context, given);
      const open = await openChildren(parts, own);
      if (open.length > 0) {
        throw refusal(
          parts,
          context,
          `Not yet: ${open.join(", ")} are still working for you. Call await_subtasks first.`,
        );
      }
      if ((await outstandingCalls(parts, own)).length > 0) throw refusal(parts, context, UNANSWERED);
      const status = result.status === "failed" ? "failed" : "completed";
      const endedBy = context.idempotencyKey;
      const ending = { status, result: await withChanges(parts, own, withoutUndefined(result)), endedBy } as const;
      const ended = await endSubtask(parts, own, ending, { isBegun: true });
      if (ended?.endedBy === endedBy) return "Completed.";
      throw refusal(parts, context, `${own.id} has ended already: ${ended?.status ?? "it is gone"}.`);
    },
  };
  return [notify, complete];
};

const UNANSWERED =
  "Not yet: another agent has not answered you. End your turn with a text instead; you are told the answer and can " +
  "then complete.";

const refusal = ({ logger }: SubtaskParts, { standing, traceId }: ToolContext, why: string): AppError => {
  logger.warn({ subtask: standing.subtaskId, traceId, why }, "completion refused");
  return new AppError("conflict", why);
};

const withChanges = async (parts: SubtaskParts, own: Address, result: SubtaskResult): Promise<SubtaskResult> => {
  const workspaces = parts.workspaces.get(own.agent);
  const subtask = workspaces && (await readSubtask(parts.store, own));
  return subtask ? withArtifacts(parts, workspaces, subtask, result) : result;
};

type Address = Pick<Subtask, "tenant" | "agent" | "id">;

const ownAddress = ({ tenant, agent, standing }: ToolContext, given: string | undefined): Address => {
  const own = standing.subtaskId;
  if (own === undefined) throw new AppError("forbidden", "Only a subtask can report to an owner.");
  if (given === undefined || given === own) return { tenant, agent, id: own };
  throw new AppError("forbidden", `You are ${own} and can report for nobody else, so not for ${given}.`);
};

const change = async (parts: SubtaskParts, own: Address, by: (subtask: Subtask) => Subtask): Promise<Subtask> => {
  const now = isoTime(parts.clock.now());
  // Whoever speaks was begun, whether or not that is stored by now.
  const subtask = await changeSubtask(parts, own, (is) =>
    hasEnded(is) ? is : by(is.status === "pending" ? begun(is, now) : is),
  );
  if (subtask !== undefined && !hasEnded(subtask)) return subtask;
  throw new AppError("conflict", `${own.id} has ended; nobody hears you any more.`);
};

const noted = (subtask: Subtask, note: string, noteKey: string): Subtask =>
  subtask.noteKey === noteKey ? subtask : { ...subtask, note, noteKey, notes: subtask.notes + 1 };

/** Counted, so that one that cries again and again does not wake its owner for ever. */
const spoken = (subtask: Subtask): Subtask => {
  const { words = 0 } = subtask;
  if (words < MOST_WORDS) return { ...subtask, words: words + 1 };
  throw new AppError("forbidden", `Your owner has heard ${MOST_WORDS} words of you. Go on with your work, or end it.`);
};

type Words = z.infer<typeof Notify>;

const tell = async (parts: SubtaskParts, own: Address, words: Words, context: ToolContext): Promise<string> => {
  const subtask = await change(parts, own, spoken);
  await send(parts, subtask, words, context);
  return "Your owner is told.";
};

const ask = async (parts: SubtaskParts, own: Address, words: Words, context: ToolContext): Promise<string> => {
  const { idempotencyKey: questionKey, signal } = context;
  const subtask = await change(parts, own, (is) =>
    is.questionKey === questionKey ? is : { ...spoken(is), question: words.content, questionKey },
  );
  await send(parts, subtask, words, context);
  const [answered] = await waitUntil(parts, {
    place: own,
    ids: [own.id],
    timeoutMs: (words.waitSeconds ?? DEFAULT_ANSWER_SECONDS) * 1_000,
    signal,
    isDone: ([is]) => is === undefined || hasEnded(is) || is.question === undefined,
  });
  return answered?.question === undefined
    ? "Answered: the answer follows as a message."
    : "No answer yet. Go on with what you can do without it; if one comes, you get it as a message.";
};

const send = ({ clock, ...parts }: SubtaskParts, subtask: Subtask, words: Words, context: ToolContext) =>
  sendToOwner({ clock, ...parts }, subtask, {
    id: wordIdOf(subtask.id, context.idempotencyKey),
    type: words.type === "status_update" ? "error" : words.type,
    priority: words.priority ?? (words.type === "error" ? "high" : "normal"),
    content: words.content,
    timestamp: isoTime(clock.now()),
  });

const openChildren = async ({ store }: SubtaskParts, { tenant, agent, id: ownerId }: Address): Promise<string[]> => {
  const { batches } = await readOwner(store, { tenant, agent, ownerId });
  return Object.values(batches).flatMap(({ members }) =>
    members.filter(({ ended, awaitedBy }) => !ended && awaitedBy === undefined).map(({ id: child }) => child),
  );
};

const withoutUndefined = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
