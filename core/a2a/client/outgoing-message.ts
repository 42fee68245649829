import type { Tracer } from "../../contract/tracer.ts";
import { peerCallSpanId, traceHeaders } from "../../telemetry/index.ts";
import { withExtension } from "../extension.ts";
import type { PeerCall } from "../peer-call.ts";
import type { RemoteTask } from "../remote-task.ts";

export type RemoteCall = PeerCall & { readonly remote: RemoteTask };

export interface OutgoingMessage {
  /** The same for the same words. */
  readonly messageId: string;
  readonly contextId: string;
  readonly taskId: string;
  readonly text: string;
  /** By the extension's name. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** So that what is done there joins our trace. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a call says at first, with the chain for whoever counts hops (A4). */
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
