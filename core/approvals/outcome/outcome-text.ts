import { oneLine } from "../asking/request-text.ts";
import type { Approval } from "../record/approval-record.ts";

const MAX_NAME = 60;

const decider = ({ decidedBy }: Approval): string => oneLine(decidedBy?.name ?? "", MAX_NAME) || "a person";

/** The state of a request in a few words, for people and the model. */
export const stateText = (approval: Approval): string => {
  const approved = `approved by ${decider(approval)}${approval.isForHour ? " for an hour" : ""}`;
  switch (approval.state) {
    case "pending":
      return "waits for an approval";
    case "approved":
      return approved;
    case "running":
      return `${approved}, running`;
    case "denied":
      return `denied by ${decider(approval)}`;
    case "expired":
      return "not decided in time, so it was not run";
    case "withdrawn":
      return "withdrawn, because the work was cancelled";
    case "ended":
      return `${approved}, ${OUTCOMES[approval.outcome ?? "done"]}`;
    default:
      return approval.state satisfies never;
  }
};

const OUTCOMES: Readonly<Record<NonNullable<Approval["outcome"]>, string>> = {
  done: "done",
  failed: "failed",
  interrupted: "interrupted, outcome unknown",
  refused: "not run",
};

/** The line that replaces the buttons; the result itself follows in the answer. */
export const decisionText = (approval: Approval): string => {
  const state = approval.state === "ended" || approval.state === "running" ? "approved" : approval.state;
  const what = stateText({ ...approval, state });
  return `**${what.charAt(0).toUpperCase()}${what.slice(1)}**`;
};

/** One decided call for the model. */
export const outcomeText = (approval: Approval): string =>
  [`### ${approval.tool} (${approval.id}): ${stateText(approval)}`, ...(approval.output ? [approval.output] : [])].join(
    "\n",
  );
