import type { Subtask, Turn } from "../../../../admin-api/index.ts";
import { StateMark, type Tone } from "../../parts/row.tsx";
import { durationText } from "../../parts/when.tsx";

const TONES: Readonly<Record<NonNullable<Turn["outcome"]>, Tone>> = {
  answered: "good",
  nothing: "calm",
  failed: "bad",
  cancelled: "warn",
};

type Shown = Pick<Turn, "outcome" | "command">;

/** A command is answered at once and stores no outcome. */
export const outcomeTone = ({ outcome, command }: Shown): Tone => {
  if (outcome !== undefined) return TONES[outcome];
  return command === undefined ? "busy" : "good";
};

export const OutcomeMark = ({ turn, took = "" }: { turn: Shown; took?: string }) => {
  const word = turn.outcome ?? (turn.command === undefined ? "running" : "done");
  return <StateMark tone={outcomeTone(turn)} text={`${word}${took}`} />;
};

const SUBTASK_TONES: Readonly<Record<Subtask["status"], Tone>> = {
  pending: "calm",
  running: "busy",
  completed: "good",
  failed: "bad",
  cancelled: "warn",
};

type ShownSubtask = Pick<Subtask, "status" | "result" | "startedAt" | "completedAt">;

export const subtaskTone = ({ status }: ShownSubtask): Tone => SUBTASK_TONES[status];

/** The state of a subtask, and its duration. */
export const SubtaskMark = ({ subtask }: { subtask: ShownSubtask }) => {
  const { status, result, startedAt, completedAt } = subtask;
  const took = startedAt && completedAt ? ` in ${durationText(startedAt, completedAt)}` : "";
  const how = result === undefined || result === "success" || result === status ? "" : ` (${result})`;
  return <StateMark tone={SUBTASK_TONES[status]} text={`${status}${how}${took}`} />;
};
