import { useState } from "preact/hooks";
import { Dialog, Field } from "../../parts/dialog.tsx";
import { addressOf, navigate } from "../../routing/route.ts";
import { useConsole } from "../../state/console-context.ts";
import { useAction } from "../../state/use-action.ts";

/** Sends a notice to a room or a person, and opens the page with its deliveries. */
export const TestMessage = ({ channel, agent, close }: { channel: string; agent: string; close: () => void }) => {
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
