import { messageOf } from "../../contract/app-error.ts";
import { raceAbort } from "../../lib/index.ts";
import { isUnreachable } from "../client/peer-fetch.ts";
import type { PeerDeps } from "../deps.ts";
import type { RemoteCall } from "../record/peer-call.ts";

/** Timeout of a request that is not a stream. */
export const REQUEST_MS = 30_000;

/**
 * Cancels the remote task after the deadline, or because its work was cancelled. False: the remote agent did not answer,
 * and a retry may succeed. Any other failure is final and harmless, for example because the task has ended.
 */
export const cancelRemoteTask = async (
  deps: PeerDeps,
  { tenant, peer: name, remote }: RemoteCall,
): Promise<boolean> => {
  const peer = deps.remoteAgents.find(tenant, name);
  if (peer === undefined || remote.taskId === undefined) return true;
  const signal = AbortSignal.timeout(REQUEST_MS);
  try {
    const client = await raceAbort(deps.remoteAgents.clientOf(peer), signal);
    await client.cancel(remote.taskId, signal);
    return true;
  } catch (error) {
    deps.logger.debug({ peer: name, error: messageOf(error) }, "could not cancel a remote task");
    return !isUnreachable(error) && !signal.aborted;
  }
};
