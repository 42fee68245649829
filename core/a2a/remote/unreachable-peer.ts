import { changeCall } from "../change-call.ts";
import type { RemoteCall } from "../client/outgoing-message.ts";
import { unreachableText } from "../client/peer-failure.ts";
import type { PeerCall } from "../peer-call.ts";
import type { PeerParts } from "../peer-parts.ts";
import { settleCall } from "../settle-call.ts";

/** For a peer without a setting of its own. */
const DEFAULT_UNREACHABLE_MS = 600_000;
const MAX_DETAIL_CHARS = 2_000;

/** Until when a peer that cannot be reached is tried again; Infinity while it can be. Wall clock, milliseconds. */
export const unreachableUntil = ({ remoteAgents }: PeerParts, { tenant, peer, remote }: PeerCall): number =>
  remote?.unreachableSince === undefined
    ? Number.POSITIVE_INFINITY
    : remote.unreachableSince + (remoteAgents.find(tenant, peer)?.unreachableMs ?? DEFAULT_UNREACHABLE_MS);

/** A request got no answer: people see that it is retried and since when, until that has lasted too long. */
export const markUnreachable = async (parts: PeerParts, call: RemoteCall, reason: string): Promise<void> => {
  const now = parts.clock.now();
  const detail = reason.slice(0, MAX_DETAIL_CHARS);
  const changed = await changeCall(parts, call, (is) => {
    if (is.remote === undefined || is.remote.unreachableSince !== undefined) return is;
    return { ...is, detail, notes: is.notes + 1, remote: { ...is.remote, unreachableSince: now } };
  });
  if (changed?.state !== "open") return;
  if (unreachableUntil(parts, changed) <= now) {
    await settleCall(parts, changed, { error: unreachableText(call.peer), detail });
  } else showChange(parts, changed);
};

export const markReachable = async (parts: PeerParts, call: RemoteCall): Promise<void> => {
  if (call.remote.unreachableSince === undefined) return;
  const changed = await changeCall(parts, call, (is) => {
    if (is.remote?.unreachableSince === undefined) return is;
    const { unreachableSince: _, ...remote } = is.remote;
    const { detail: __, ...rest } = is;
    return { ...rest, notes: is.notes + 1, remote };
  });
  if (changed?.state === "open") showChange(parts, changed);
};

const showChange = (parts: PeerParts, call: PeerCall): void =>
  parts.activity.touch({ ...call, owner: call.standing.owner, parentTurnId: call.turnId });
