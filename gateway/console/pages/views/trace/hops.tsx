import type { Trace } from "../../../../admin-api/index.ts";
import { StateMark, type Tone } from "../../parts/state-mark.tsx";
import { durationText } from "../../parts/when.tsx";

type Hop = Trace["hops"][number];

const TONES: Readonly<Record<Hop["state"], Tone>> = { open: "busy", answered: "good", failed: "bad" };
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
            tone={TONES[state]}
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
