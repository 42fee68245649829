import { useState } from "preact/hooks";
import { Dialog, Field } from "../../parts/dialog.tsx";
import { useConsole } from "../../state/console-context.ts";
import { useAction } from "../../state/use-action.ts";

const { timeZone: OWN_ZONE } = Intl.DateTimeFormat().resolvedOptions();

/** Creates a schedule: prompt, time and destination. */
export const NewScheduleDialog = ({ close, done }: { close: () => void; done: () => void }) => {
  const { client, me } = useConsole();
  const [given, setGiven] = useState({
    agent: me.agents[0]?.name ?? "",
    description: "",
    prompt: "",
    when: "",
    timeZone: OWN_ZONE,
    channel: "",
    room: "",
  });
  const { isBusy, run } = useAction(async () => {
    const { channel, room, ...rest } = given;
    const deliverTo = channel === "" ? {} : { deliverTo: { channel, room } };
    const { description } = await client.post("schedules", {}, { ...rest, ...deliverTo });
    return `${description} is scheduled.`;
  }, done);
  const text =
    (name: keyof typeof given, isRequired = true) =>
    (id: string) => (
      <input
        id={id}
        required={isRequired}
        value={given[name]}
        onInput={(event) => setGiven({ ...given, [name]: event.currentTarget.value })}
      />
    );
  return (
    <Dialog title="New schedule" close={close}>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          void run().then((isDone) => isDone && close());
        }}
      >
        <Field label="Agent">
          {(id) => (
            <select
              id={id}
              value={given.agent}
              onChange={(event) => setGiven({ ...given, agent: event.currentTarget.value })}
            >
              {me.agents.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Name">{text("description")}</Field>
        <Field label="Prompt">
          {(id) => (
            <textarea
              id={id}
              rows={3}
              required
              value={given.prompt}
              onInput={(event) => setGiven({ ...given, prompt: event.currentTarget.value })}
            />
          )}
        </Field>
        <div class="field-pair">
          <Field label="When" hint="Cron, a time, or “every 2 hours”.">
            {text("when")}
          </Field>
          <Field label="Time zone">{text("timeZone")}</Field>
        </div>
        <div class="field-pair">
          <Field label="Channel" hint="If empty, the agent's home channel.">
            {text("channel", false)}
          </Field>
          <Field label="Room">{text("room", given.channel !== "")}</Field>
        </div>
        <div class="dialog-actions">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy}>
            Create
          </button>
        </div>
      </form>
    </Dialog>
  );
};
