import { useState } from "preact/hooks";
import { Field } from "../../parts/dialog.tsx";
import { useConsole } from "../../state/console-context.ts";
import { useAction } from "../../state/use-action.ts";

interface BreakGlassProps {
  readonly sessionId: string;
  readonly agent: string;
  readonly done: () => void;
  /** The operator may read already, and can only take over. */
  readonly isOpen?: boolean;
}

const DEFAULT_MINUTES = 15;

/** Asks for a reason before private words are shown, and for a name before an operator answers. */
export const BreakGlass = ({ sessionId, agent, done, isOpen = false }: BreakGlassProps) => {
  const { client } = useConsole();
  const [reason, setReason] = useState("");
  const [name, setName] = useState("");
  const [minutes, setMinutes] = useState(DEFAULT_MINUTES);
  const params = { sessionId };
  const given = { agent, reason: reason.trim(), minutes };
  const read = useAction(async () => {
    await client.post("sessions/:sessionId/break-glass", params, given);
    return "The reason is in the audit log.";
  }, done);
  const take = useAction(async () => {
    await client.post("sessions/:sessionId/takeover", params, { ...given, name: name.trim() });
    return `You answer now. ${agent} is paused in this conversation, and the person is notified.`;
  }, done);
  const isReasonGiven = reason.trim().length >= 5;
  return (
    <form class="card fields glass" onSubmit={(event) => event.preventDefault()}>
      <h2>{isOpen ? "Answer yourself" : "This conversation is private"}</h2>
      <p class="faint">
        {isOpen
          ? "The agent pauses in this conversation until you end it, or until the time is over. The person sees your name."
          : "Say why you need to read it. The reason, your token and the time go to the audit log."}
      </p>
      <Field label="Reason">
        {(id) => (
          <input
            id={id}
            required
            minLength={5}
            maxLength={500}
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Minutes" hint="It ends by itself after this time; at most 120.">
        {(id) => (
          <input
            id={id}
            type="number"
            min={1}
            max={120}
            value={minutes}
            onInput={(event) => setMinutes(event.currentTarget.valueAsNumber || DEFAULT_MINUTES)}
          />
        )}
      </Field>
      <Field label="Your name" hint="Only to answer: the person sees it.">
        {(id) => <input id={id} maxLength={60} value={name} onInput={(event) => setName(event.currentTarget.value)} />}
      </Field>
      <div class="dialog-actions">
        {!isOpen && (
          <button type="button" disabled={!isReasonGiven || read.isBusy} onClick={() => void read.run()}>
            Read
          </button>
        )}
        <button
          type="button"
          class="danger"
          disabled={!isReasonGiven || name.trim() === "" || take.isBusy}
          onClick={() => void take.run()}
        >
          Take over
        </button>
      </div>
    </form>
  );
};
