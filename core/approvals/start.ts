import { subjectsOf } from "../contract/messages/subjects.ts";
import type { Consumer } from "../contract/ports/bus.ts";
import { deadLetterFallback } from "../lib/index.ts";
import type { Agent } from "../turns/index.ts";
import { handleApprovalDecided, handleApprovalDue, handleDeadDecision } from "./deciding/handle-approval.ts";
import type { ApprovalDeps } from "./deps.ts";

/** A decided call may hold its slot as long as its tool runs. */
const MAX_CONCURRENT_RUNS = 256;
const MAX_CONCURRENT_TIMERS = 64;

/** Consumes the timers and decisions of an agent's requests. */
export const startApprovals = async (deps: ApprovalDeps, agent: Agent): Promise<Consumer[]> => {
  const { bus, logger } = deps;
  const subjects = subjectsOf(agent.tenant);
  return Promise.all([
    bus.consume(
      subjects.approvalDue(agent.name),
      { durable: "approvals", concurrency: MAX_CONCURRENT_TIMERS },
      (address, received) => handleApprovalDue(deps, address, received),
    ),
    bus.consume(
      subjects.approvalDecided(agent.name),
      {
        durable: "approvals",
        concurrency: MAX_CONCURRENT_RUNS,
        onDeadLetter: (address, letter) =>
          deadLetterFallback(logger, letter, async () => {
            if (address !== undefined) await handleDeadDecision(deps, address);
          }),
      },
      (address) => handleApprovalDecided(deps, address),
    ),
  ]);
};
