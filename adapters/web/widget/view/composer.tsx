import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { bytesText, type Upload } from "../chat/uploads.ts";
import { mayHaveThumbnail, thumbnailOf } from "../page/thumbnail.ts";
import { Icon } from "./icon.tsx";
import { Thumbnail } from "./thumbnail.tsx";
import { useWidget } from "./widget-context.ts";

const MAX_HEIGHT_PX = 160;

/** The input. Enter sends, Shift+Enter inserts a line break. */
export const Composer = () => {
  const { texts, model, panel, uploads, options } = useWidget();
  const [text, setText] = useState("");
  const input = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const { answering, isOpen } = panel;
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
    if (answering) input.current?.focus();
  }, [answering]);
  const send = () => {
    if (!maySend) return;
    model.send(text.trim(), { replyTo: answering?.id, attachments: uploads.ready });
    uploads.clear();
    panel.set({ answering: undefined });
    setText("");
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {answering && (
        <div class="answering">
          <Icon name="reply" />
          <span dir="auto">{texts.replyingTo(answering.about)}</span>
          <button
            type="button"
            class="tool"
            aria-label={texts.noReply}
            onClick={() => panel.set({ answering: undefined })}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
      {uploads.items.length > 0 && (
        <ul class="uploads">
          {uploads.items.map((upload) => (
            <UploadChip key={upload.key} upload={upload} />
          ))}
        </ul>
      )}
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
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            send();
          }}
          onPaste={({ clipboardData }) => clipboardData?.files.length && uploads.add(clipboardData.files)}
        />
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

/** An upload: its progress or its error. */
const UploadChip = ({ upload }: { upload: Upload }) => {
  const { texts, uploads } = useWidget();
  const { key, file, progress, attachment, error, canRetry } = upload;
  const picked = { mediaType: file.type, bytes: file.size };
  return (
    <li class={`file ${error === undefined ? "" : "failed"}`}>
      <Thumbnail id={key} load={mayHaveThumbnail(picked) ? () => thumbnailOf(file) : undefined}>
        <Icon name={error === undefined ? "file" : "alert"} />
      </Thumbnail>
      <span class="name" dir="auto">
        {file.name}
      </span>
      <span class="size" role={error === undefined ? undefined : "alert"}>
        {error ?? (attachment ? bytesText(file.size) : texts.uploading)}
      </span>
      {canRetry && (
        <button type="button" class="pill" onClick={() => uploads.retry(key)}>
          {texts.retry}
        </button>
      )}
      <button type="button" class="tool" aria-label={texts.remove(file.name)} onClick={() => uploads.remove(key)}>
        <Icon name="close" />
      </button>
      {error === undefined && attachment === undefined && <progress aria-label={texts.uploading} value={progress} />}
    </li>
  );
};
