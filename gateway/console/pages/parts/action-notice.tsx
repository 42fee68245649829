import { useEffect } from "preact/hooks";
import type { Notice } from "../state/console-context.ts";

const SHOWN_MS = 8_000;

/** The result of the last action. An error stays until the operator closes it. */
export const ActionNotice = ({ notice, close }: { notice: Notice | undefined; close: () => void }) => {
  useEffect(() => {
    if (notice === undefined || notice.isBad) return;
    const timer = setTimeout(close, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice, close]);
  return (
    <div class="notices" role={notice?.isBad ? "alert" : "status"}>
      {notice && (
        <div class={notice.isBad ? "notice bad" : "notice"}>
          <p>
            <span class="strong">{notice.text}</span> {notice.advice}
          </p>
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      )}
    </div>
  );
};
