import type { Subtask } from "../../../../admin-api/index.ts";
import type { Tone } from "../../parts/row.tsx";
import { StateMark } from "../../parts/row.tsx";
import { durationText } from "../../parts/when.tsx";

const TONES: Readonly<Record<Subtask["status"], Tone>> = {
  pending: "calm",
  running: "busy",
  completed: "good",
  failed: "bad",
  cancelled: "warn",
};

type Shown = Pick<Subtask, "status" | "result" | "startedAt" | "completedAt">;

export const subtaskTone = ({ status }: Shown): Tone => TONES[status];

/** The state of a subtask, and its duration. */
export const SubtaskMark = ({ subtask }: { subtask: Shown }) => {
  const { status, result, startedAt, completedAt } = subtask;
  const took = startedAt && completedAt ? ` in ${durationText(startedAt, completedAt)}` : "";
  const how = result === undefined || result === "success" || result === status ? "" : ` (${result})`;
  return <StateMark tone={TONES[status]} text={`${status}${how}${took}`} />;
};
