import { z } from "zod";
import type { ReplyCause } from "../contract/agent-reply.ts";
import type { Synthetic, UserMessage } from "../contract/user-message.ts";
import type { ReplyOrigin } from "../contract/work-context.ts";
import { summarisePrompt } from "../lib/index.ts";

/** Called once per turn at intake; all work that the message starts inherits the origin (O2). */
export const captureOrigin = (message: UserMessage, sessionId: string): ReplyOrigin => ({
  channel: message.conversation.channel,
  promptSummary: summarisePrompt(message.text),
  startedAt: message.sentAt,
  sessionId,
  ...(message.link !== undefined && { link: message.link }),
  ...(message.messageId !== undefined && { messageId: message.messageId }),
});

const Named = z.object({ id: z.string(), name: z.string() });

/** The work that a synthetic message may name; an invalid field counts as absent. */
const NamedWork = z.object({
  schedule: z.object({ id: z.string() }).optional().catch(undefined),
  subtasks: z.array(Named).optional().catch(undefined),
  calls: z.array(Named).optional().catch(undefined),
  subtask: z.string().optional().catch(undefined),
  call: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
});
type NamedWork = z.infer<typeof NamedWork>;

/** The cause of a turn that core started, for the `why` command (O13). */
export const causeOf = ({ type, asker, origin, rootTurnId, data }: Synthetic, turnId: string): ReplyCause => ({
  turnId,
  rootTurnId: rootTurnId ?? turnId,
  asker,
  trigger: type,
  steps: data === undefined ? [] : stepsOf(NamedWork.parse(data), origin.promptSummary),
});

const stepsOf = (work: NamedWork, title: string): ReplyCause["steps"] => {
  const { schedule, subtasks, calls, subtask, call, name } = work;
  return [
    ...(schedule === undefined ? [] : [{ kind: "schedule", id: schedule.id, name: title }]),
    ...(subtasks ?? named(subtask, name)).map((step) => ({ kind: "subtask", ...step })),
    ...(calls ?? named(call, name)).map((step) => ({ kind: "peer", ...step })),
  ];
};

const named = (id: string | undefined, name: string | undefined) =>
  id === undefined || name === undefined ? [] : [{ id, name }];
