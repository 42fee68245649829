import type { Channel, ChannelError } from "../api/admin-api.ts";
import { sentence } from "../api/sentence.ts";
import { When } from "../parts/when.tsx";
import { refusalIn } from "./refusal-in.ts";

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
  if (reason !== undefined) return <span class="bad-text">{sentence(reason)}</span>;
  const [latest] = errors;
  if (latest === undefined) return null;
  return (
    <>
      Last error <When at={latest.at} />: {errorText(latest)}
    </>
  );
};

/** A delivery's error is the kind of its failure; the others are words already. */
export const errorText = ({ what, reason }: ChannelError): string =>
  what === "delivery" ? refusalIn(reason).text : sentence(reason);
