import type { PeerCallAddress, SubtaskAddress } from "../contract/addresses.ts";
import type { UserMessage } from "../contract/user-message.ts";
import type { DelegationContext } from "../contract/work-context.ts";
import { spanId } from "./trace-context.ts";

/** The spans that others hang on, by what the records of those others have. */
export const turnSpanId = (turnId: string): string => spanId("turn", turnId);
export const subtaskSpanId = ({ tenant, agent, id }: SubtaskAddress): string => spanId("subtask", tenant, agent, id);
export const peerCallSpanId = ({ tenant, agent, id }: PeerCallAddress): string => spanId("call", tenant, agent, id);
/** By the idempotency key of the call. */
export const toolSpanId = (callKey: string): string => spanId("tool", callKey);
export const replySpanId = (replyId: string): string => spanId("reply", replyId);
/** One run of a message's handler. */
export const runSpanId = ({ tenant, agent, id }: Pick<UserMessage, "tenant" | "agent" | "id">, run: number): string =>
  spanId("run", tenant, agent, id, String(run));

interface Work {
  readonly tenant: string;
  readonly agent: string;
  readonly turnId: string;
  readonly standing: Pick<DelegationContext, "subtaskId">;
}

/** What a turn does hangs on it; all turns of a subtask are one span. */
export const workSpanId = ({ tenant, agent, turnId, standing: { subtaskId: id } }: Work): string =>
  id === undefined ? turnSpanId(turnId) : subtaskSpanId({ tenant, agent, id });
