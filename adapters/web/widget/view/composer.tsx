import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { lastSaid } from "../../client/chat/versions.ts";
import { Icon } from "./icon.tsx";
import { useWidget } from "./widget-context.ts";

const MAX_HEIGHT_PX = 160;

/** The input. Enter sends, Shift+Enter inserts a line break, ArrowUp edits the last message. */
export const Composer = () => {
  const { texts, model, panel, uploads, options, draft, lazy } = useWidget();
  const [text, setText] = useState(draft.text);
  const input = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const { answering, editing, isOpen } = panel;
  const write = (next: string) => {
    // The text of an edit is not a draft: the draft returns after it.
    if (panel.editing === undefined) draft.text = next;
    setText(next);
  };
  const tooLongBy = text.length - model.limits.textLength;
  const hasSomething = text.trim() !== "" || uploads.ready.length > 0;
  const maySend = hasSomething && !uploads.isBusy && tooLongBy <= 0;
  useLayoutEffect(() => {
    const { current } = input;
    if (!current) return;
    current.style.height = "auto";
    current.style.height = `${Math.min(MAX_HEIGHT_PX, current.scrollHeight)}px`;
  }, [text, isOpen]);
  useEffect(() => {
    if (answering || editing) input.current?.focus();
  }, [answering, editing]);
  // Each conversation has its draft; the stored one is known once the gateway has named the visitor.
  const { place } = draft;
  useEffect(() => {
    if (place && panel.editing === undefined) setText(draft.text);
  }, [draft, place, panel]);
  const wasEditing = useRef(editing);
  useEffect(() => {
    if (editing !== wasEditing.current) setText(editing?.text ?? draft.text);
    wasEditing.current = editing;
  }, [editing, draft]);
  const send = () => {
    if (!maySend) return;
    const kept = editing?.attachments ?? [];
    const attachments = [...kept, ...uploads.ready];
    model.send(text.trim(), { replyTo: editing?.replyTo ?? answering?.id, revises: editing?.id, attachments });
    uploads.clear();
    if (editing === undefined) draft.text = "";
    panel.set({ answering: undefined, editing: undefined });
    setText(draft.text);
  };
  const UploadList = uploads.items.length > 0 ? lazy.views?.UploadList : undefined;
  // Only browsers that write down speech have one of these.
  const canSpeak = model.mayUseVoice && ("SpeechRecognition" in window || "webkitSpeechRecognition" in window);
  const Voice = canSpeak ? lazy.views?.VoiceButton : undefined;
  const Menu = text.startsWith("/") && editing === undefined ? lazy.views?.SlashMenu : undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || event.defaultPrevented) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && (editing ?? answering) !== undefined) {
      event.stopPropagation();
      panel.set({ answering: undefined, editing: undefined });
    } else if (event.key === "ArrowUp" && text === "" && editing === undefined) {
      const last = lastSaid(model.entries);
      if (last === undefined || model.log.isEarlier) return;
      event.preventDefault();
      // At once: the next key belongs to this text.
      setText(last.text);
      wasEditing.current = last;
      panel.set({ editing: last });
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {(editing ?? answering) !== undefined && (
        <div class="answering">
          <Icon name={editing ? "compose" : "reply"} />
          <span dir="auto">{editing ? texts.editing : texts.replyingTo(answering?.about ?? "")}</span>
          <button
            type="button"
            class="tool"
            aria-label={editing ? texts.cancelEdit : texts.noReply}
            onClick={() => panel.set({ answering: undefined, editing: undefined })}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
      {Menu && <Menu text={text} write={write} input={input.current} />}
      {UploadList && <UploadList />}
      <div class="field">
        {model.limits.fileBytes > 0 && (
          <button
            type="button"
            class="tool"
            aria-label={texts.attach}
            title={texts.attach}
            onClick={() => picker.current?.click()}
          >
            <Icon name="clip" />
          </button>
        )}
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          accept={options.accept}
          onChange={({ currentTarget }) => {
            uploads.add(currentTarget.files ?? []);
            currentTarget.value = "";
          }}
        />
        <textarea
          ref={input}
          rows={1}
          dir="auto"
          aria-label={texts.input}
          placeholder={texts.placeholder}
          value={text}
          onInput={({ currentTarget }) => write(currentTarget.value)}
          onKeyDown={onKeyDown}
          onPaste={({ clipboardData }) => clipboardData?.files.length && uploads.add(clipboardData.files)}
        />
        {Voice && <Voice text={text} write={write} />}
        {model.isWaiting && !hasSomething ? (
          <button
            type="button"
            class="send"
            aria-label={texts.stop}
            title={texts.stop}
            onClick={() => model.stopAnswer()}
          >
            <Icon name="stop" />
          </button>
        ) : (
          <button type="submit" class="send" aria-label={texts.send} title={texts.send} aria-disabled={!maySend}>
            <Icon name="send" />
          </button>
        )}
      </div>
      {tooLongBy > 0 && (
        <p class="hint" role="alert">
          {texts.tooLong(tooLongBy)}
        </p>
      )}
    </form>
  );
};
