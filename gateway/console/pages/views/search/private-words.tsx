import { useState } from "preact/hooks";
import type { AnswerTo } from "../../../../admin-api/index.ts";
import { Field } from "../../parts/dialog.tsx";
import { useConsole } from "../../state/console-context.ts";
import { useAction } from "../../state/use-action.ts";
import { FoundSessions } from "./found-sessions.tsx";

type Found = AnswerTo<"POST search/words">;

/** Searches the words of people, with a reason for the audit log. It finds sessions and shows no words. */
export const PrivateWords = ({ words }: { words: string }) => {
  const { client } = useConsole();
  const [reason, setReason] = useState("");
  const [found, setFound] = useState<Found>();
  const { isBusy, run } = useAction(async () => {
    const answer = await client.post("search/words", {}, { words, reason: reason.trim() });
    setFound(answer);
    const { length } = answer.sessions;
    return `${length === 1 ? "1 session has" : `${length} sessions have`} these words, of ${answer.searched} that were searched.`;
  });
  return (
    <>
      {found !== undefined && found.sessions.length > 0 && (
        <FoundSessions title="Sessions with these words" sessions={found.sessions} page="transcript" />
      )}
      <form
        class="card fields glass"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <h2>Search private words</h2>
        <p class="faint">The reason goes to the audit log, the words do not. A transcript needs a reason of its own.</p>
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
        <div class="dialog-actions">
          <button type="submit" disabled={isBusy || reason.trim().length < 5}>
            Search words
          </button>
        </div>
      </form>
    </>
  );
};
