import { useState } from "preact/hooks";
import type { Channel } from "../../../../admin-api/index.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { useConsole } from "../../state/console-context.ts";
import { TestMessage } from "./test-message.tsx";

/** Gateways report the new state of a channel with a short delay. */
const REPORT_DELAY_MS = 2_000;

export const ChannelActions = ({
  channel: { channel, agent, state },
  done,
}: {
  channel: Channel;
  done: () => void;
}) => {
  const { client } = useConsole();
  const [isTesting, setTesting] = useState(false);
  const act = (verb: "pause" | "resume", notice: string) => async () => {
    await client.post(`channels/:channel/${verb}`, { channel });
    return notice;
  };
  const reloadTwice = () => {
    done();
    setTimeout(done, REPORT_DELAY_MS);
  };
  return (
    <>
      <button type="button" aria-label={`Test: ${channel}`} onClick={() => setTesting(true)}>
        Test
      </button>
      {state === "paused" ? (
        <ActionButton
          label="Resume"
          of={channel}
          act={act("resume", `${channel} is running again.`)}
          done={reloadTwice}
        />
      ) : (
        <ActionButton
          label="Pause"
          of={channel}
          act={act("pause", `${channel} is paused.`)}
          done={reloadTwice}
          confirm={{
            question: `Pause ${channel}?`,
            text: "All gateways stop receiving and sending, also after a restart, until an operator resumes the channel. Outgoing messages wait.",
          }}
        />
      )}
      {isTesting && <TestMessage channel={channel} agent={agent} close={() => setTesting(false)} />}
    </>
  );
};
