import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../state/use-action.ts";
import { Dialog } from "./dialog.tsx";

interface ActionButtonProps {
  readonly label: string;
  /** What it is done to, for those who do not see where the button stands. */
  readonly of: string;
  /** Resolves to what is to be said when it is done. */
  readonly act: () => Promise<string>;
  readonly done: () => void;
  /** Asked before, where it cannot be undone. */
  readonly confirm?: { readonly question: string; readonly text: ComponentChildren };
}

/** Does something, after a question if it takes one. */
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
              Leave it
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
