import { A2AError } from "@a2a-js/sdk/errors";
import { AppError } from "../../contract/app-error.ts";
import { refusalIn } from "../refusal-in.ts";
import { PeerClient } from "./peer-client.ts";
import { failureDetail } from "./peer-failure.ts";
import type { RemotePeer } from "./remote-peer.ts";

/** No agent has such a task. */
const NO_TASK = "mooring-check";

/** Whether a remote agent is there and lets us in: its card is read, and it is asked after a task that it cannot have. */
export const probePeer = async (peer: RemotePeer, signal: AbortSignal): Promise<void> => {
  let client: PeerClient | undefined;
  try {
    client = await PeerClient.connect(peer, signal);
    await client.get(NO_TASK, signal);
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal !== undefined) throw refusal;
    const why = failureDetail(error);
    if (client === undefined) throw new AppError("unavailable", `there is no agent card at ${peer.url}: ${why}`);
    // That it knows no such task is the answer of one that lets us ask.
    if (!(error instanceof A2AError)) throw new AppError("unavailable", why, { cause: error });
  } finally {
    await client?.close();
  }
};
