import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../state/use-action.ts";
import { Dialog } from "./dialog.tsx";

interface ActionButtonProps {
  readonly label: string;
  /** The object of the action, for screen readers. */
  readonly of: string;
  /** Resolves to the notice to show. */
  readonly act: () => Promise<string>;
  readonly done: () => void;
  /** Asks for confirmation before an action that cannot be undone. */
  readonly confirm?: { readonly question: string; readonly text: ComponentChildren };
}

export const ActionButton = ({ label, of, act, done, confirm }: ActionButtonProps) => {
  const [isAsking, setAsking] = useState(false);
  const { isBusy, run } = useAction(act, done);
  return (
    <>
      <button
        type="button"
        disabled={isBusy}
        aria-label={`${label}: ${of}`}
        onClick={() => (confirm ? setAsking(true) : void run())}
      >
        {label}
      </button>
      {isAsking && confirm && (
        <Dialog title={confirm.question} close={() => setAsking(false)}>
          <div>{confirm.text}</div>
          <div class="dialog-actions">
            <button type="button" onClick={() => setAsking(false)}>
              {label === "Cancel" ? "Go back" : "Cancel"}
            </button>
            <button
              type="button"
              class="danger"
              disabled={isBusy}
              onClick={() => void run().then(() => setAsking(false))}
            >
              {label}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
};
