import { english, type Texts } from "../../contract/texts/texts.ts";
import { oneLine } from "../asking/request-text.ts";
import type { Approval } from "../record/approval-record.ts";

const MAX_NAME = 60;

const decider = ({ decidedBy }: Approval, { approvals }: Texts): string =>
  oneLine(decidedBy?.name ?? "", MAX_NAME) || approvals.aPerson;

/** The state of a request in a few words, for people and the model. */
export const stateText = (approval: Approval, texts: Texts = english): string => {
  const { states, outcomes } = texts.approvals;
  const name = decider(approval, texts);
  const approved = approval.isForHour ? states.approvedForHour(name) : states.approved(name);
  switch (approval.state) {
    case "pending":
      return states.pending;
    case "approved":
      return approved;
    case "running":
      return `${approved}, ${states.running}`;
    case "denied":
      return states.denied(name);
    case "expired":
      return states.expired;
    case "withdrawn":
      return states.withdrawn;
    case "ended":
      return `${approved}, ${outcomes[approval.outcome ?? "done"]}`;
    default:
      return approval.state satisfies never;
  }
};

/** The line that replaces the buttons; the result itself follows in the answer. */
export const decisionText = (approval: Approval, texts: Texts): string => {
  const state = approval.state === "ended" || approval.state === "running" ? "approved" : approval.state;
  const what = stateText({ ...approval, state }, texts);
  return `**${what.charAt(0).toUpperCase()}${what.slice(1)}**`;
};

/** One decided call for the model. */
export const outcomeText = (approval: Approval): string =>
  [`### ${approval.tool} (${approval.id}): ${stateText(approval)}`, ...(approval.output ? [approval.output] : [])].join(
    "\n",
  );
