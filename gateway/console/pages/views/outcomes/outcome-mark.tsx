import type { Turn } from "../../../../admin-api/index.ts";
import type { Tone } from "../../parts/row.tsx";
import { StateMark } from "../../parts/row.tsx";

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
