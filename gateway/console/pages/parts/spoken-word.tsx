import { useEffect } from "preact/hooks";
import type { Word } from "../state/console-context.ts";

const SHOWN_MS = 8_000;

/** What came of the last action. A refusal stays until it is closed. */
export const SpokenWord = ({ word, close }: { word: Word | undefined; close: () => void }) => {
  useEffect(() => {
    if (word === undefined || word.isBad) return;
    const timer = setTimeout(close, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [word, close]);
  return (
    <div class="words" role={word?.isBad ? "alert" : "status"}>
      {word && (
        <div class={word.isBad ? "word bad" : "word"}>
          <p>
            <span class="strong">{word.text}</span> {word.advice}
          </p>
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      )}
    </div>
  );
};
