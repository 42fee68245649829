import type { ReplyCause } from "../contract/messages/agent-reply.ts";
import type { Synthetic } from "../contract/messages/synthetic.ts";
import type { FromPerson } from "../contract/messages/user-message.ts";
import type { ReplyOrigin } from "../contract/messages/work-context.ts";
import { summarisePrompt } from "../lib/index.ts";

/** Called once per turn at intake; all work that the message starts inherits the origin (O2). */
export const captureOrigin = (message: FromPerson, sessionId: string): ReplyOrigin => ({
  channel: message.conversation.channel,
  promptSummary: summarisePrompt(message.text),
  startedAt: message.sentAt,
  sessionId,
  ...(message.link !== undefined && { link: message.link }),
  ...(message.messageId !== undefined && { messageId: message.messageId }),
});

/** The cause of a turn that core started, for the `why` command (O13). */
export const causeOf = (synthetic: Synthetic, turnId: string): ReplyCause => ({
  turnId,
  rootTurnId: synthetic.rootTurnId ?? turnId,
  asker: synthetic.asker,
  trigger: synthetic.type,
  steps: stepsOf(synthetic),
});

const stepsOf = (synthetic: Synthetic): ReplyCause["steps"] => {
  switch (synthetic.type) {
    case "task": {
      const { schedule } = synthetic.data;
      return schedule === undefined
        ? []
        : [{ kind: "schedule", id: schedule.id, name: synthetic.origin.promptSummary }];
    }
    case "synthesis":
    case "amendment":
      return (synthetic.data?.subtasks ?? []).map(({ id, name }) => ({ kind: "subtask", id, name }));
    case "wake-up": {
      const { data } = synthetic;
      return data === undefined ? [] : [{ kind: "subtask", id: data.subtask, name: data.name }];
    }
    case "callback": {
      const { data } = synthetic;
      return data === undefined ? [] : [{ kind: "peer", id: data.call, name: data.name }];
    }
    case "late":
      return (synthetic.data?.calls ?? []).map(({ id, name }) => ({ kind: "peer", id, name }));
    case "approval": {
      const { data } = synthetic;
      return data === undefined ? [] : [{ kind: "approval", id: data.approval, name: data.name }];
    }
    case "peer":
    case "agent-answer":
      return [];
    default:
      return synthetic satisfies never;
  }
};

/** Whether the work began in the conversation and session that shows the reply. Only then there is no anchor (O8). */
export const isAtHome = (
  origin: ReplyOrigin,
  { channel, sessionId }: { readonly channel: string; readonly sessionId: string | null },
): boolean => origin.channel === channel && origin.sessionId === sessionId;
