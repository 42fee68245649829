import { settleCall } from "../calls/settle-call.ts";
import { unreachableText } from "../client/peer-failure.ts";
import type { PeerDeps } from "../deps.ts";
import { changeCall, type PeerCall } from "../record/peer-call.ts";
import type { RemoteCall } from "./outgoing-message.ts";

/** Used for a peer without its own setting. */
const DEFAULT_UNREACHABLE_MS = 600_000;
const MAX_DETAIL_CHARS = 2_000;

/** End of the retries for an unreachable peer; Infinity for a reachable one. Wall clock, milliseconds. */
export const unreachableUntil = ({ remoteAgents }: PeerDeps, { tenant, peer, remote }: PeerCall): number =>
  remote?.unreachableSince === undefined
    ? Number.POSITIVE_INFINITY
    : remote.unreachableSince + (remoteAgents.find(tenant, peer)?.unreachableMs ?? DEFAULT_UNREACHABLE_MS);

/** Records that a request got no answer. People see since when it is retried; after the limit the call fails. */
export const markUnreachable = async (deps: PeerDeps, call: RemoteCall, reason: string): Promise<void> => {
  const now = deps.clock.now();
  const detail = reason.slice(0, MAX_DETAIL_CHARS);
  const changed = await changeCall(deps, call, (open) => {
    if (open.remote === undefined || open.remote.unreachableSince !== undefined) return open;
    return { ...open, detail, notes: open.notes + 1, remote: { ...open.remote, unreachableSince: now } };
  });
  if (changed?.state !== "open") return;
  if (unreachableUntil(deps, changed) <= now) {
    await settleCall(deps, changed, { error: unreachableText(call.peer), detail });
  } else showChange(deps, changed);
};

export const markReachable = async (deps: PeerDeps, call: RemoteCall): Promise<void> => {
  if (call.remote.unreachableSince === undefined) return;
  const changed = await changeCall(deps, call, (open) => {
    if (open.remote?.unreachableSince === undefined) return open;
    const { unreachableSince: _, ...remote } = open.remote;
    const { detail: __, ...rest } = open;
    return { ...rest, notes: open.notes + 1, remote };
  });
  if (changed?.state === "open") showChange(deps, changed);
};

const showChange = (deps: PeerDeps, call: PeerCall): void =>
  deps.activity.touch({ ...call, owner: call.standing.owner, parentTurnId: call.turnId });
