import type { SpanRecord } from "../contract/tracer.ts";
import { peerCallSpanId, workSpanId } from "../telemetry/index.ts";
import type { PeerCall } from "./peer-call.ts";

/** A message to another agent, from its writing to its answer. What a remote agent does with it hangs on it too. */
export const peerCallSpan = (call: PeerCall, now: number): SpanRecord => ({
  traceId: call.traceId,
  id: peerCallSpanId(call),
  parentId: workSpanId(call),
  name: `invoke_agent ${call.peer}`,
  kind: "client",
  startedAt: Date.parse(call.createdAt),
  endedAt: call.endedAt === undefined ? now : Date.parse(call.endedAt),
  attributes: {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": call.peer,
    "gen_ai.conversation.id": call.remote?.contextId,
    "mooring.tenant": call.tenant,
    "mooring.peer_call.id": call.id,
    "mooring.peer_call.mode": call.mode,
    "mooring.peer_call.remote": call.remote !== undefined,
    "mooring.outcome": call.state,
    "mooring.error.detail": call.detail,
  },
  error: call.state === "failed" ? "failed" : undefined,
});
