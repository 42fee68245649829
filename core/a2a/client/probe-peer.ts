import { A2AError } from "@a2a-js/sdk/errors";
import { AppError } from "../../contract/app-error.ts";
import type { RemotePeer } from "../config.ts";
import { refusalIn } from "../guarded-fetch.ts";
import type { PeerClient } from "./peer-client.ts";
import { failureDetail } from "./peer-failure.ts";

/** A task id that no agent has. */
const NO_TASK = "mooring-check";

/**
 * Checks that a remote agent is reachable and accepts our credentials: reads its card and asks for an unknown task. Loads
 * the SDK on the first call.
 */
export const probePeer = async (peer: RemotePeer, signal: AbortSignal): Promise<void> => {
  let client: PeerClient | undefined;
  try {
    const { PeerClient: Connecting } = await import("./peer-client.ts");
    client = await Connecting.connect(peer, signal);
    await client.get(NO_TASK, signal);
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal !== undefined) throw refusal;
    const why = failureDetail(error);
    if (client === undefined) throw new AppError("unavailable", `there is no agent card at ${peer.url}: ${why}`);
    // "Task not found" proves that the agent accepted our credentials.
    if (!(error instanceof A2AError)) throw new AppError("unavailable", why, { cause: error });
  } finally {
    await client?.close();
  }
};
