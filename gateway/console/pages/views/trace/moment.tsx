import type { ComponentChildren } from "preact";
import type { Tone } from "../../parts/state-mark.tsx";

interface MomentProps {
  readonly tone: Tone;
  readonly title: ComponentChildren;
  readonly at?: ComponentChildren;
  /** How it is, or how long it took. */
  readonly state?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A point on the line. */
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
