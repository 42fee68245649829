/** What the messages are called that go on with a turn's work: the same cause always gives the same id. */
export const synthesisIdOf = (turnId: string): string => `batch-${turnId}/synthesis`;
export const amendmentIdOf = (turnId: string): string => `batch-${turnId}/amendment`;
/** By the message to another agent that was answered. */
export const callbackIdOf = (callId: string): string => `callback/${callId}`;
export const questionIdOf = (callId: string, round: number): string => `${callbackIdOf(callId)}/${round}`;
/** By what came after whoever asked had ended: the call, and what it was. */
export const lateIdOf = (notification: string): string => `late/${notification}`;
/** The turn of a local agent that another one's message is. */
export const peerWakeIdOf = (agent: string, callId: string): string => `peer/${agent}/${callId}`;
/** By the subtask's message that wakes its owner. */
export const wakeUpIdOf = (messageId: string): string => `wake/${messageId}`;
/** A subtask's last message, and one that it sends by a call. */
export const endIdOf = (subtaskId: string): string => `${subtaskId}/end`;
export const wordIdOf = (subtaskId: string, callKey: string): string => `${subtaskId}/${callKey}`;
