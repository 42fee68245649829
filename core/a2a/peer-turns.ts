import type { SubtaskParts } from "../subtasks/index.ts";
import type { TurnHook, TurnRequester, TurnSource } from "../turns/index.ts";
import { answerCaller } from "./answer-caller.ts";
import { callbackPrompt } from "./callback-prompt.ts";
import { consumeNotifications } from "./consume-notifications.ts";
import { lateAnswerPrompt } from "./late-answer-prompt.ts";
import { peerRequestPrompt } from "./peer-request-prompt.ts";
import { withoutPeopleTools } from "./tools-for-agents.ts";

/** Turns that a message of another agent starts, and those about its answers. */
export const peerTurns = (parts: SubtaskParts): readonly TurnSource[] => [
  { types: ["peer"], prompt: peerRequestPrompt },
  { types: ["callback"], prompt: (_, message) => callbackPrompt(parts, message) },
  { types: ["late"], prompt: (_, message) => lateAnswerPrompt(parts, message) },
];

/** An agent of this deployment that has called another one. */
export const localCaller = (parts: SubtaskParts): TurnRequester => ({
  isFor: (message) => message.synthetic?.owner.worksFor !== undefined,
  agentFor: withoutPeopleTools,
  async settle(agent, { id: messageId, synthetic }, result) {
    const worksFor = synthetic?.owner.worksFor;
    if (worksFor) await answerCaller(parts, agent, { worksFor, sessionId: synthetic.sessionId, messageId }, result);
  },
});

/** Notifications about late answers that a turn has read are removed. */
export const lateAnswerHook = (parts: SubtaskParts): TurnHook => ({
  async onEnd({ agent: { tenant, name }, message, record, entry, isDeadLetter }) {
    if (isDeadLetter || record === undefined || entry === undefined) return;
    const session = { tenant, agent: name, sessionId: record.sessionId };
    await consumeNotifications(parts, session, message, entry.messages);
  },
});
