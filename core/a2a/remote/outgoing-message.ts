import type { Tracer } from "../../contract/ports/telemetry.ts";
import { peerCallSpanId, traceHeaders } from "../../telemetry/index.ts";
import type { OutgoingMessage } from "../client/peer-client.ts";
import { withExtension } from "../record/hops.ts";
import type { PeerCall, RemoteTask } from "../record/peer-call.ts";

export type RemoteCall = PeerCall & { readonly remote: RemoteTask };

/** The first message of a call, with the chain for hop counts (A4). */
export const firstMessage = (call: RemoteCall, tracer: Tracer | undefined): OutgoingMessage =>
  messageOf(call, call.id, call.message, tracer);

/** Our answer to a question of the remote agent. */
export const answerMessage = (call: RemoteCall, nth: number, tracer: Tracer | undefined): OutgoingMessage =>
  messageOf(call, `${call.id}-${nth + 1}`, call.remote.answers[nth]?.text ?? "", tracer);

const messageOf = (call: RemoteCall, messageId: string, text: string, tracer: Tracer | undefined): OutgoingMessage => {
  const { remote, chain, origin, mode, traceId } = call;
  const { channel, promptSummary, startedAt } = origin;
  const { contextId, taskId = "" } = remote;
  const metadata = withExtension(undefined, {
    ...(chain.to !== undefined && { to: chain.to }),
    hops: chain.hops,
    rootCorrelationId: chain.root,
    origin: { channel, promptSummary, startedAt },
    msgType: mode,
  });
  const headers = tracer && { ...traceHeaders(traceId, peerCallSpanId(call), tracer.isSampled(traceId)) };
  return { messageId, contextId, taskId, text, metadata, ...(headers && { headers }) };
};
