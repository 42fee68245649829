import { subjectsOf } from "../../contract/messages/subjects.ts";
import type { CommandMessage } from "../../contract/messages/user-message.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { Texts } from "../../contract/texts/texts.ts";
import { callerAt, mayContinue } from "../../delivery/index.ts";
import { sameAccount } from "../../people/index.ts";
import type { CoreDeps } from "../../turns/index.ts";
import type { TurnRecord } from "../../turns/record/index.ts";
import type { ApprovalDeps } from "../deps.ts";
import { stateText } from "../outcome/outcome-text.ts";
import { type Approval, type ApprovalKey, changeApproval, readApproval } from "../record/approval-record.ts";
import { grantHour, mayHold } from "../record/hour-grant.ts";

export type Decision = "approve" | "hour" | "deny";

/** A person's press of a button, or their command. */
export interface Press {
  readonly message: CommandMessage;
  readonly record: TurnRecord;
  /** The language of the person. */
  readonly texts: Texts;
}

/**
 * Decides a request by a person's command and returns the answer for that person. The first permitted press counts; a
 * compare-and-set makes it final. Idempotent: a command that is repeated after a crash finds its own decision.
 */
export const decideApproval = async (
  deps: ApprovalDeps,
  press: Press,
  id: string,
  decision: Decision,
): Promise<string> => {
  const { message, record, texts } = press;
  const { tenant } = message;
  const approval = await readApproval(deps.store, { tenant, id });
  // A person who may not see the request gets the same answer as for an unknown id (D3).
  if (approval === undefined || !(await isShownTo(deps, approval, message))) return texts.approvals.unknown;
  if (isOwnDecision(approval, record)) return complete(deps, approval, texts);
  const refusal = await refusalOf(deps, press, approval, decision);
  if (refusal !== undefined) return refusal;
  const now = deps.clock.now();
  const { account, conversation } = message;
  const decidedBy = {
    name: account.name,
    channel: conversation.channel,
    accountId: account.id,
    command: record.turnId,
  };
  const { after } = await changeApproval(deps, approval, (current) => {
    if (current.state !== "pending") return current;
    if (now >= Date.parse(current.expiresAt)) return { ...current, state: "expired", decidedAt: isoTime(now) };
    const state = decision === "deny" ? "denied" : "approved";
    return { ...current, state, decidedAt: isoTime(now), decidedBy, ...(decision === "hour" && { isForHour: true }) };
  });
  await deps.checkpoint("approval.decided");
  if (after === undefined) return texts.approvals.unknown;
  if (isOwnDecision(after, record)) return complete(deps, after, texts);
  await publishDecided(deps, after);
  return texts.approvals.decided(stateText(after, texts));
};

/** Whether the person who writes here may see the request. */
export const isShownTo = async (
  { store }: Pick<ApprovalDeps, "store">,
  { asked }: Approval,
  message: Pick<CommandMessage, "tenant" | "agent" | "conversation">,
): Promise<boolean> => asked.agent === message.agent && mayContinue(store, { audience: asked.audience }, message);

const isOwnDecision = ({ decidedBy }: Approval, { turnId }: TurnRecord): boolean => decidedBy?.command === turnId;

/** Stores what follows from the decision, before the command is acknowledged. */
const complete = async (deps: ApprovalDeps, approval: Approval, { approvals }: Texts): Promise<string> => {
  if (approval.isForHour) await grantHour(deps.store, approval, deps.clock.now());
  await publishDecided(deps, approval);
  await deps.checkpoint("approval.queued");
  if (approval.decidedBy && approval.state === "denied") return approvals.denied(approval.tool);
  const hour = approval.isForHour ? ` ${approvals.notAskedForAnHour(approval.tool)}` : "";
  return `${approvals.approved(approval.tool)}${hour}`;
};

/** The handler of a decision runs in any process, one at a time per request. */
export const publishDecided = async ({ bus }: Pick<CoreDeps, "bus">, approval: Approval): Promise<void> => {
  const { tenant, agent, id } = approval;
  await bus.publish(subjectsOf(tenant).approvalDecided(agent), { tenant, agent, id }, { id: `${id}/decided`, key: id });
};

/** Withdraws a request whose work was cancelled. */
export const withdrawApproval = async (deps: CoreDeps, key: ApprovalKey): Promise<void> => {
  const decidedAt = isoTime(deps.clock.now());
  const { after } = await changeApproval(deps, key, (current) =>
    current.state === "pending" ? { ...current, state: "withdrawn", decidedAt } : current,
  );
  if (after?.state === "withdrawn") await publishDecided(deps, after);
};

/**
 * Why the person may not decide, with the rights of this moment (R1). Approving needs `approve`, or `confirm` in one's own
 * work; the asker may always deny.
 */
const refusalOf = async (
  deps: ApprovalDeps,
  { message, record, texts }: Press,
  approval: Approval,
  decision: Decision,
): Promise<string | undefined> => {
  const { tenant, agent, asker, id, tool } = approval;
  const own = { channel: message.conversation.channel, accountId: message.account.id };
  const permit = deps.asking.of({ tenant, agent })?.agent.rights.permit(record.asker);
  const caller = await callerAt(deps.store, { ...message, accountId: own.accountId });
  const isCause = (asker.causes ?? []).some((cause) =>
    caller.accounts.some((account) =>
      sameAccount(account, { channel: cause.channel ?? "", accountId: cause.id ?? "" }),
    ),
  );
  const isAsker = isCause && caller.owns(approval.audience);
  const mayApprove = permit?.allows("approve") === true || (isAsker && permit?.allows("confirm") === true);
  const may = mayApprove || (isAsker && decision === "deny");
  if (!may || deps.blocked.has({ tenant, ...own })) {
    deps.logger.info({ approval: id, tool, agent, traceId: approval.traceId }, "press refused, the right is missing");
    deps.meter.count("rights_refused_total", { agent, needs: isAsker ? "confirm" : "approve" });
    return texts.approvals.notAllowed;
  }
  if (decision !== "hour" || (isAsker && mayHold(approval))) return undefined;
  return texts.approvals.onlyOnce;
};
