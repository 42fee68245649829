import type { ComponentChildren } from "preact";
import type { Trace } from "../../../../admin-api/index.ts";
import { StateMark, type Tone } from "../../parts/row.tsx";
import { durationText } from "../../parts/when.tsx";

interface MomentProps {
  readonly tone: Tone;
  readonly title: ComponentChildren;
  readonly at?: ComponentChildren;
  /** The state or duration of the moment. */
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

type Step = Trace["turns"][number]["steps"][number];

const CALL_TONES: Readonly<Record<Step["calls"][number]["state"], Tone>> = {
  running: "busy",
  done: "good",
  failed: "bad",
};

/** Model steps that called tools. */
export const Steps = ({ steps }: { steps: readonly Step[] }) =>
  steps.length === 0 ? null : (
    <ul class="steps" aria-label="Tools">
      {steps.map(({ step, calls, inputTokens, outputTokens }) => (
        <li key={step}>
          <span class="faint small">Step {step + 1}</span>
          {calls.map(({ name, state, approval, durationMs }, index) => (
            <span key={`${step}/${index}`} class="call">
              <code>{name}</code>
              <StateMark tone={CALL_TONES[state]} text={approval ?? state} />
              {durationMs === undefined ? null : <span class="faint small">{durationMs} ms</span>}
            </span>
          ))}
          <span class="faint small">
            {inputTokens} tokens in, {outputTokens} out
          </span>
        </li>
      ))}
    </ul>
  );

type Hop = Trace["hops"][number];

const HOP_TONES: Readonly<Record<Hop["state"], Tone>> = { open: "busy", answered: "good", failed: "bad" };
const MODES: Readonly<Record<Hop["mode"], string>> = {
  notify: "notified",
  task_delegate: "delegated",
  consult: "consulted",
};

/** Messages to other agents. */
export const Hops = ({ hops }: { hops: readonly Hop[] }) =>
  hops.length === 0 ? null : (
    <ul class="steps" aria-label="Other agents">
      {hops.map(({ id, agent, peer, isRemote, mode, headline, state, error, createdAt, endedAt }) => (
        <li key={id}>
          <span>
            {agent} → <span class="strong">{peer}</span>
            {isRemote && " (remote)"}
          </span>
          <StateMark
            tone={HOP_TONES[state]}
            text={`${MODES[mode]}, ${state}${endedAt === undefined ? "" : ` in ${durationText(createdAt, endedAt)}`}`}
          />
          <span class="faint small">
            {headline} · <code>{id}</code>
          </span>
          {error !== undefined && <span class="bad-text small">{error}</span>}
        </li>
      ))}
    </ul>
  );
