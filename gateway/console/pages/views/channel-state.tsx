import type { Channel } from "../api/admin-api.ts";
import { StateMark, type Tone } from "../parts/state-mark.tsx";
import { When } from "../parts/when.tsx";
import { Link } from "../routing/link.tsx";
import { addressOf } from "../routing/route.ts";

/** Gateways report at least so often while something changes. */
export const CHANNELS_EVERY_MS = 15_000;

const TONES: Readonly<Record<Channel["state"], Tone>> = {
  running: "good",
  standby: "calm",
  failing: "bad",
  paused: "warn",
};

export const ChannelMark = ({ channel: { state } }: { channel: Pick<Channel, "state"> }) => (
  <StateMark tone={TONES[state]} text={state} />
);

/** Why it does not run, or what went wrong last. */
export const ChannelTrouble = ({ channel }: { channel: Channel }) => {
  const { reason, paused, errors } = channel;
  if (paused) {
    return (
      <>
        Paused <When at={paused.at} /> by a {paused.by.role.replace("_", " ")}. What is to be sent waits.
      </>
    );
  }
  if (reason !== undefined) return <span class="bad-text">{reason}</span>;
  const [latest] = errors;
  if (latest === undefined) return null;
  return (
    <>
      Last error <When at={latest.at} />: {latest.what}, {latest.reason}
      {latest.count > 1 && ` (${latest.count} times)`}
    </>
  );
};

export const UndeliveredCount = ({ channel: { channel, undelivered } }: { channel: Channel }) =>
  undelivered === 0 ? (
    <>0</>
  ) : (
    <Link to={addressOf("dead-letters", undefined, { channel })}>
      {undelivered >= 100 ? "100 or more" : undelivered}
    </Link>
  );
