import { useState } from "preact/hooks";
import type { Channel } from "../../../../admin-api/index.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { Dialog, Field } from "../../parts/dialog.tsx";
import { addressOf, navigate } from "../../route.tsx";
import { useConsole } from "../../state/console-context.ts";
import { useAction } from "../../state/use-action.ts";

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

/** Sends a notice to a room or a person, and opens the page with its deliveries. */
const TestMessage = ({ channel, agent, close }: { channel: string; agent: string; close: () => void }) => {
  const { client } = useConsole();
  const [to, setTo] = useState<"account" | "room">("account");
  const [target, setTarget] = useState("");
  const [workspace, setWorkspace] = useState("");
  const [text, setText] = useState("");
  const { isBusy, run } = useAction(async () => {
    const recipient =
      to === "room" ? { room: target.trim(), ...(workspace && { workspace }) } : { account: target.trim() };
    const sent = await client.post(
      "channels/:channel/test",
      { channel },
      { ...recipient, ...(text.trim() && { text }) },
    );
    navigate(addressOf("replies", sent.replyId, { agent }));
    return "The test message is queued.";
  });
  return (
    <Dialog title={`Send a test message on ${channel}`} close={close}>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <Field label="To">
          {(id) => (
            <select
              id={id}
              value={to}
              onChange={(event) => setTo(event.currentTarget.value === "room" ? "room" : "account")}
            >
              <option value="account">a person who has written in private</option>
              <option value="room">a room</option>
            </select>
          )}
        </Field>
        <Field label={to === "room" ? "Id of the room" : "Id of the account"}>
          {(id) => <input id={id} required value={target} onInput={(event) => setTarget(event.currentTarget.value)} />}
        </Field>
        {to === "room" && (
          <Field label="Workspace" hint="Only if the channel has several.">
            {(id) => <input id={id} value={workspace} onInput={(event) => setWorkspace(event.currentTarget.value)} />}
          </Field>
        )}
        <Field label="Text" hint="If empty, a default text is sent.">
          {(id) => (
            <textarea
              id={id}
              rows={2}
              maxLength={500}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="dialog-actions">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy}>
            Send
          </button>
        </div>
      </form>
    </Dialog>
  );
};
