import type { AnswerTo } from "../../../../admin-api/index.ts";
import type { Tone } from "../../parts/row.tsx";
import { StateMark } from "../../parts/row.tsx";

export type Approval = AnswerTo<"GET approvals">["items"][number];

const TONES: Readonly<Record<Approval["state"], Tone>> = {
  pending: "calm",
  approved: "busy",
  running: "busy",
  denied: "warn",
  expired: "warn",
  withdrawn: "warn",
  ended: "good",
};

type Shown = Pick<Approval, "state" | "outcome">;

export const approvalTone = ({ state, outcome = "done" }: Shown): Tone => (outcome === "done" ? TONES[state] : "bad");

/** The state of a call that needs an approval, and the outcome of an approved one. */
export const ApprovalMark = ({ approval }: { approval: Shown }) => (
  <StateMark tone={approvalTone(approval)} text={approval.outcome ?? approval.state} />
);
