import { Icon } from "./icon.tsx";

const AROUND = 2 * Math.PI * 9;

/** How much of the work has ended, as a circle that closes. */
export const ProgressRing = ({ part, hasFailed }: { part: number; hasFailed: boolean }) => {
  if (part >= 1) {
    return (
      <span class={`ring ended ${hasFailed ? "failed" : ""}`}>
        <Icon name={hasFailed ? "alert" : "check"} />
      </span>
    );
  }
  return (
    <svg class="ring" viewBox="0 0 24 24" aria-hidden="true">
      <circle class="track" cx="12" cy="12" r="9" />
      <circle class="done" cx="12" cy="12" r="9" stroke-dasharray={`${Math.max(0.08, part) * AROUND} ${AROUND}`} />
    </svg>
  );
};
