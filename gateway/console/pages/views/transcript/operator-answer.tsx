import { useState } from "preact/hooks";
import { Field } from "../../parts/dialog.tsx";
import { useConsole } from "../../state/console-context.ts";
import { useAction } from "../../state/use-action.ts";

interface OperatorAnswerProps {
  readonly sessionId: string;
  readonly agent: string;
  readonly done: () => void;
}

/** Sends an answer to the person. The id stays until it is sent, so that a second press sends it once. */
export const OperatorAnswer = ({ sessionId, agent, done }: OperatorAnswerProps) => {
  const { client } = useConsole();
  const [text, setText] = useState("");
  const [id, setId] = useState(newId);
  const { isBusy, run } = useAction(async () => {
    await client.post("sessions/:sessionId/takeover/answer", { sessionId }, { agent, id, text });
    setText("");
    setId(newId());
    return "The answer is sent.";
  }, done);
  return (
    <form
      class="card fields"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <Field label="Your answer">
        {(field) => (
          <textarea
            id={field}
            rows={3}
            required
            maxLength={10_000}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <div class="dialog-actions">
        <button type="submit" class="primary" disabled={isBusy || text.trim() === ""}>
          Send
        </button>
      </div>
    </form>
  );
};

/** `crypto.randomUUID` exists only on https and localhost. */
const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(36)).join("-");
