import type { DelegatedCalls, SubtaskDeps } from "../subtasks/index.ts";
import { withdrawApproval } from "./deciding/decide-approval.ts";
import { countEnd } from "./outcome/report-outcome.ts";
import { isApprovalId, readApproval } from "./record/approval-record.ts";

/** Adds calls that wait for an approval to the calls of a batch. Their requests show their state, not the activity entry. */
export const withHeldCalls = (others: DelegatedCalls): DelegatedCalls => ({
  items: (sender, ids, texts) => others.items(sender, ids.filter(isOther), texts),
  async release(deps, batch, openCalls, turn) {
    const { tenant } = batch;
    if (turn.isCancelled) await withdraw(deps, tenant, openCalls);
    for (const id of openCalls.filter(isApprovalId)) {
      // The turn crashed between the reservation and the record, and did not resume.
      const isLost = (await readApproval(deps.store, { tenant, id })) === undefined;
      if (isLost) await countEnd(deps, batch, { id, isLater: false });
    }
    await others.release(deps, batch, openCalls.filter(isOther), turn);
  },
  async cancel(deps, sender, openCalls, atPeers) {
    await withdraw(deps, sender.tenant, openCalls);
    await others.cancel(deps, sender, openCalls.filter(isOther), atPeers);
  },
});

const isOther = (id: string): boolean => !isApprovalId(id);

const withdraw = async (deps: SubtaskDeps, tenant: string, ids: readonly string[]): Promise<void> => {
  for (const id of ids.filter(isApprovalId)) await withdrawApproval(deps, { tenant, id });
};
