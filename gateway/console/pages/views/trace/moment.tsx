import type { ComponentChildren } from "preact";
import type { Tone } from "../../parts/state-mark.tsx";

interface MomentProps {
  readonly tone: Tone;
  readonly title: ComponentChildren;
  readonly at?: ComponentChildren;
  /** Its state or duration. */
  readonly state?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** An entry of the timeline. */
export const Moment = ({ tone, title, at, state, children }: MomentProps) => (
  <li class={`moment ${tone}`}>
    <div class="moment-head">
      <span class="strong">{title}</span>
      {state}
      {at !== undefined && <span class="moment-at">{at}</span>}
    </div>
    {children}
  </li>
);
