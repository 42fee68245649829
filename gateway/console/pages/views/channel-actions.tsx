import { useState } from "preact/hooks";
import type { Channel } from "../api/admin-api.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { useConsole } from "../state/console-context.ts";
import { TestMessage } from "./test-message.tsx";

export const ChannelActions = ({
  channel: { channel, agent, state },
  done,
}: {
  channel: Channel;
  done: () => void;
}) => {
  const { client } = useConsole();
  const [isTesting, setTesting] = useState(false);
  const act = (verb: "pause" | "resume", said: string) => async () => {
    await client.post(`channels/${encodeURIComponent(channel)}/${verb}`);
    return said;
  };
  return (
    <>
      <button type="button" aria-label={`Test: ${channel}`} onClick={() => setTesting(true)}>
        Test
      </button>
      {state === "paused" ? (
        <ActionButton label="Resume" of={channel} act={act("resume", `${channel} runs again.`)} done={done} />
      ) : (
        <ActionButton
          label="Pause"
          of={channel}
          act={act("pause", `${channel} is paused.`)}
          done={done}
          confirm={{
            question: `Pause ${channel}?`,
            text: "It takes nothing in and sends nothing, on all gateways and across restarts, until somebody resumes it. What is to be sent waits.",
          }}
        />
      )}
      {isTesting && <TestMessage channel={channel} agent={agent} close={() => setTesting(false)} />}
    </>
  );
};
