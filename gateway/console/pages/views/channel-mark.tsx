import type { Channel } from "../api/admin-api.ts";
import { StateMark, type Tone } from "../parts/state-mark.tsx";

const TONES: Readonly<Record<Channel["state"], Tone>> = {
  running: "good",
  standby: "calm",
  degraded: "bad",
  paused: "warn",
};

export const ChannelMark = ({ channel: { state } }: { channel: Pick<Channel, "state"> }) => (
  <StateMark tone={TONES[state]} text={state} />
);
