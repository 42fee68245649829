import type { TraceStep } from "../../api/trace.ts";
import { StateMark, type Tone } from "../../parts/state-mark.tsx";

const TONES: Readonly<Record<TraceStep["calls"][number]["state"], Tone>> = {
  running: "busy",
  done: "good",
  failed: "bad",
};

/** The model's steps that called tools. */
export const Steps = ({ steps }: { steps: readonly TraceStep[] }) =>
  steps.length === 0 ? null : (
    <ul class="steps" aria-label="Tools">
      {steps.flatMap(({ step, calls, inputTokens, outputTokens }) =>
        calls.map(({ name, state }, index) => (
          <li key={`${step}/${index}`}>
            <code>{name}</code>
            <StateMark tone={TONES[state]} text={state} />
            {index === 0 && (
              <span class="faint small">
                step {step + 1} · {inputTokens} tokens in, {outputTokens} out
              </span>
            )}
          </li>
        )),
      )}
    </ul>
  );
