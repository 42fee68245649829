import type { Channel, MAX_UNDELIVERED_COUNT } from "../../../../admin-api/index.ts";
import { sentence } from "../../api/refused.ts";
import { StateMark, type Tone } from "../../parts/row.tsx";
import { When } from "../../parts/when.tsx";
import { addressOf, Link } from "../../route.tsx";
import { describeFailure } from "../outcomes/describe-failure.ts";

const TONES: Readonly<Record<Channel["state"], Tone>> = {
  running: "good",
  standby: "calm",
  degraded: "bad",
  paused: "warn",
};

export const ChannelMark = ({ channel: { state } }: { channel: Pick<Channel, "state"> }) => (
  <StateMark tone={TONES[state]} text={state} />
);

/** Why the channel is paused or degraded, or its last error. */
export const ChannelProblem = ({ channel }: { channel: Channel }) => {
  const { reason, paused, errors } = channel;
  if (paused) {
    return (
      <>
        Paused <When at={paused.at} /> by a {paused.by.role.replace("_", " ")}. Outgoing messages wait.
      </>
    );
  }
  if (reason !== undefined) return <span class="bad-text">{sentence(reason)}</span>;
  const [latest] = errors;
  if (latest === undefined) return null;
  return (
    <>
      Last error <When at={latest.at} />: {errorText(latest)}
    </>
  );
};

/** The error of a delivery is a failure code; other errors are text. */
export const errorText = ({ what, reason }: Channel["errors"][number]): string =>
  what === "delivery" ? describeFailure(reason).text : sentence(reason);

/** The gateway counts no further. */
const MAX_COUNT: typeof MAX_UNDELIVERED_COUNT = 100;

export const UndeliveredCount = ({ channel: { channel, undelivered } }: { channel: Channel }) => {
  if (undelivered === 0) return <span>0</span>;
  const count = undelivered >= MAX_COUNT ? `${MAX_COUNT} or more` : undelivered;
  return <Link to={addressOf("dead-letters", undefined, { channel })}>{count}</Link>;
};
