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
}

/** What a call says at first, with the chain for whoever counts hops (A4). */
export const firstMessage = (call: RemoteCall): OutgoingMessage => messageOf(call, call.id, call.message);

/** Our answer to a question of the remote agent. */
export const answerMessage = (call: RemoteCall, nth: number): OutgoingMessage =>
  messageOf(call, `${call.id}-${nth + 1}`, call.remote.answers[nth]?.text ?? "");

const messageOf = ({ remote, chain, origin, mode }: RemoteCall, messageId: string, text: string): OutgoingMessage => {
  const { channel, promptSummary, startedAt } = origin;
  const { contextId, taskId = "" } = remote;
  const metadata = withExtension(undefined, {
    hops: chain.hops,
    rootCorrelationId: chain.root,
    origin: { channel, promptSummary, startedAt },
    msgType: mode,
  });
  return { messageId, contextId, taskId, text, metadata };
};
