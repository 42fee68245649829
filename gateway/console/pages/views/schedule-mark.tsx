import type { Schedule } from "../api/admin-api.ts";
import { StateMark, type Tone } from "../parts/state-mark.tsx";

const TONES: Readonly<Record<Schedule["status"], Tone>> = {
  active: "good",
  paused: "warn",
  ended: "calm",
  cancelled: "calm",
};

export const ScheduleMark = ({ schedule: { status } }: { schedule: Schedule }) => (
  <StateMark tone={TONES[status]} text={status} />
);
