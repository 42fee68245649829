export { requestApprovals } from "./asking/ask-approval.ts";
export { requestActions } from "./asking/request-text.ts";
export { type ApprovalsConfig, defaultApprovals } from "./config.ts";
export { type Decision, decideApproval, isShownTo } from "./deciding/decide-approval.ts";
export { type ApprovalDeps, AskingAgents } from "./deps.ts";
export { withHeldCalls } from "./held-calls.ts";
export { approvalTurns } from "./outcome/approval-turn.ts";
export { stateText } from "./outcome/outcome-text.ts";
export {
  type Approval,
  type ApprovalState,
  approvalsOf,
  isApprovalId,
  isOpen,
  readApproval,
} from "./record/approval-record.ts";
export { openApprovalsIn, openApprovalsOf } from "./record/open-approvals.ts";
export { startApprovals } from "./start.ts";
