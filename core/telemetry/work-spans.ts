import type { AgentRef, PeerCallAddress, SubtaskAddress } from "../contract/messages/addresses.ts";
import type { UserMessage } from "../contract/messages/user-message.ts";
import type { DelegationContext } from "../contract/messages/work-context.ts";
import { spanId } from "./trace-context.ts";

/** Ids of parent spans, derived from fields that the records of their children have. */
export const turnSpanId = (turnId: string): string => spanId("turn", turnId);
export const subtaskSpanId = ({ tenant, agent, id }: SubtaskAddress): string => spanId("subtask", tenant, agent, id);
export const peerCallSpanId = ({ tenant, agent, id }: PeerCallAddress): string => spanId("call", tenant, agent, id);
/** The span id of a tool call, derived from the call's idempotency key. */
export const toolSpanId = (callKey: string): string => spanId("tool", callKey);
export const replySpanId = (replyId: string): string => spanId("reply", replyId);
/** One run of a message's handler. */
export const runSpanId = ({ tenant, agent, id }: AgentRef & Pick<UserMessage, "id">, run: number): string =>
  spanId("run", tenant, agent, id, String(run));

/** The parent span of a turn's steps and calls. All turns of a subtask share one span. */
export const workSpanId = (
  { tenant, agent, turnId }: AgentRef & { readonly turnId: string },
  { subtaskId: id }: Pick<DelegationContext, "subtaskId">,
): string => (id === undefined ? turnSpanId(turnId) : subtaskSpanId({ tenant, agent, id }));
