import { bytesText } from "../chat/bytes-text.ts";
import type { Upload } from "../chat/uploads.ts";
import { Icon } from "./icon.tsx";
import { useWidget } from "./widget-context.ts";

/** A file on its way: how far it is, or what is wrong with it. */
export const UploadChip = ({ upload }: { upload: Upload }) => {
  const { texts, uploads } = useWidget();
  const { key, file, progress, attachment, error, canRetry } = upload;
  return (
    <li class={`file ${error === undefined ? "" : "failed"}`}>
      <Icon name={error === undefined ? "file" : "alert"} />
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
