import type { Outcome } from "../../contract/bus.ts";
import { ack } from "../../contract/bus.ts";
import type { PeerCall } from "../peer-call.ts";
import type { PeerParts } from "../peer-parts.ts";
import { settleCall } from "../settle-call.ts";

export type RemoteCall = PeerCall & { readonly remote: NonNullable<PeerCall["remote"]> };

export const driveRemoteCall = async (parts: PeerParts, call: RemoteCall): Promise<Outcome> => {
  await settleCall(parts, call, { error: "not built yet" });
  return ack;
};

export const lookAtRemoteCall = async (_parts: PeerParts, _call: RemoteCall): Promise<void> => undefined;
