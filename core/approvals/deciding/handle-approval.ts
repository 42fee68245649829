import type { ApprovalAddress } from "../../contract/messages/addresses.ts";
import { ack, type Outcome, type Received } from "../../contract/ports/bus.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { ApprovalDeps } from "../deps.ts";
import { closeRequest } from "../outcome/close-request.ts";
import { reportOutcome } from "../outcome/report-outcome.ts";
import { changeApproval, isOpen, readApproval } from "../record/approval-record.ts";
import { publishDecided } from "./decide-approval.ts";
import { endAsFailed, runApproved } from "./run-approved.ts";

/** The record follows the timer at once; if it does not, the turn that asked has crashed and may resume. */
const MIN_RECORD_WAIT_MS = 200;
const MAX_RECORD_WAIT_MS = 30_000;
const NO_RECORD_AFTER_MS = 15 * 60_000;

/** Expires a request that is not decided in time. The bus keeps the timer, so it survives a crash. */
export const handleApprovalDue = async (
  deps: ApprovalDeps,
  address: ApprovalAddress,
  { publishedAt }: Pick<Received, "publishedAt">,
): Promise<Outcome> => {
  const now = deps.clock.now();
  const approval = await readApproval(deps.store, address);
  if (approval === undefined) {
    const ageMs = Math.max(MIN_RECORD_WAIT_MS, now - publishedAt);
    return ageMs < NO_RECORD_AFTER_MS ? { retryInMs: Math.min(ageMs, MAX_RECORD_WAIT_MS) } : ack;
  }
  const leftMs = Date.parse(approval.expiresAt) - now;
  if (approval.state === "pending" && leftMs > 0) return { retryInMs: leftMs };
  const decidedAt = isoTime(now);
  const { after } = await changeApproval(deps, address, (current) =>
    current.state === "pending" ? { ...current, state: "expired", decidedAt } : current,
  );
  // A process may have crashed between the decision and its message. A running call has its message.
  if (after !== undefined && after.state !== "running" && after.state !== "ended") await publishDecided(deps, after);
  return ack;
};

/** Runs an approved call, shows the decision and reports the outcome to the work that asked. Every step is idempotent. */
export const handleApprovalDecided = async (deps: ApprovalDeps, address: ApprovalAddress): Promise<Outcome> => {
  const approval = await readApproval(deps.store, address);
  if (approval === undefined) {
    deps.logger.warn({ approval: address.id, agent: address.agent }, "approval has expired, decision dropped");
    return ack;
  }
  if (approval.state === "pending") return ack;
  await closeRequest(deps, approval);
  await deps.checkpoint("approval.closed");
  const ended = isOpen(approval) ? await runApproved(deps, approval) : approval;
  if (ended === undefined) return { retryInMs: OTHER_RUN_MS };
  await reportOutcome(deps, ended);
  await deps.checkpoint("approval.reported");
  return ack;
};

/** Another process has started the call; by then it has ended, or its process has crashed. */
const OTHER_RUN_MS = 120_000;

/** A decision that could not be handled ends the call, so that the work does not wait for ever. */
export const handleDeadDecision = async (deps: ApprovalDeps, address: ApprovalAddress): Promise<void> => {
  const approval = await readApproval(deps.store, address);
  if (approval === undefined) return;
  const ended = isOpen(approval) ? await endAsFailed(deps, approval) : approval;
  if (ended !== undefined) await reportOutcome(deps, ended);
};
