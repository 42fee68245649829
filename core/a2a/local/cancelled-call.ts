import { messageOf } from "../../contract/app-error.ts";
import type { PeerCallAddress } from "../../contract/messages/addresses.ts";
import { cancelSubtask, readOwner, type SubtaskDeps } from "../../subtasks/index.ts";
import { type PeerCall, peerSessionOf, readCall } from "../record/peer-call.ts";
import { deleteDelegationNote } from "./peer-request.ts";

/** Whether the sender, or the person behind it, has cancelled the call. */
export const isCancelled = async (deps: Pick<SubtaskDeps, "store">, address: PeerCallAddress): Promise<boolean> =>
  (await readCall(deps.store, address))?.cancelledAt !== undefined;

/** Stops the local peer's turn when its call is cancelled (I3). After a lost signal the turn ends by itself, unread. */
export const watchCancellation = (deps: SubtaskDeps, address: PeerCallAddress, stop: () => void): (() => void) =>
  deps.callEvents.watch([address.id], () => {
    isCancelled(deps, address).then(
      (cancelled) => cancelled && stop(),
      (error: unknown) =>
        deps.logger.warn({ call: address.id, error: messageOf(error) }, "could not check for a cancelled call"),
    );
  });

/** Cancels the subtasks and calls that a local peer started for a cancelled call (I3). Idempotent. */
export const cancelLocalWork = async (deps: SubtaskDeps, call: PeerCall): Promise<void> => {
  const peer = { tenant: call.tenant, agent: call.peer };
  const sessionId = peerSessionOf(call);
  const { batches } = await readOwner(deps.store, { ...peer, ownerId: sessionId });
  const own = Object.values(batches).filter((batch) => batch.standing.owner.worksFor?.id === call.id);
  const open = own.flatMap(({ members }) => members.filter(({ ended }) => !ended));
  for (const { id } of open) await cancelSubtask(deps, { ...peer, id }, "its caller cancelled the call", true);
  const calls = own.flatMap(({ calls = [] }) => calls.filter(({ ended }) => !ended)).map(({ id }) => id);
  await deps.calls.cancel(deps, peer, calls, true);
  await deleteDelegationNote(deps, sessionId, call);
};
