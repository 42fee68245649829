import { useRef, useState } from "preact/hooks";
import { useWidget } from "../view/widget-context.ts";
import { useTexts } from "./more-texts.ts";

const MAX_COMMENT_CHARS = 1_000;

/** Below an answer that the person rated: what was wrong with it. The rating itself is stored already. */
export const FeedbackForm = ({ id }: { id: string }) => {
  const { model, panel } = useWidget();
  const texts = useTexts();
  const [comment, setComment] = useState("");
  const input = useRef<HTMLTextAreaElement>(null);
  const close = () => panel.set({ commentOn: undefined });
  const send = () => {
    if (comment.trim() !== "") model.rate(id, "down", comment.trim());
    close();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the form from each of its elements.
    <div
      class="feedback"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }}
    >
      <textarea
        ref={(node) => {
          if (input.current === null) node?.focus();
          input.current = node;
        }}
        rows={2}
        dir="auto"
        maxLength={MAX_COMMENT_CHARS}
        aria-label={texts.feedbackComment}
        placeholder={texts.feedbackComment}
        value={comment}
        onInput={({ currentTarget }) => setComment(currentTarget.value)}
      />
      <span class="seen">{texts.feedbackSeen}</span>
      <button type="button" class="pill" onClick={close}>
        {texts.skip}
      </button>
      <button type="button" class="pill primary" onClick={send}>
        {texts.send}
      </button>
    </div>
  );
};
