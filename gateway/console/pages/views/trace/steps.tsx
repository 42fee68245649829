import type { Trace } from "../../../../admin-api/index.ts";
import { StateMark, type Tone } from "../../parts/state-mark.tsx";

type Step = Trace["turns"][number]["steps"][number];

const TONES: Readonly<Record<Step["calls"][number]["state"], Tone>> = {
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
          {calls.map(({ name, state }, index) => (
            <span key={`${step}/${index}`} class="call">
              <code>{name}</code>
              <StateMark tone={TONES[state]} text={state} />
            </span>
          ))}
          <span class="faint small">
            {inputTokens} tokens in, {outputTokens} out
          </span>
        </li>
      ))}
    </ul>
  );
