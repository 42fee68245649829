import { bytesText, type Upload } from "../chat/uploads.ts";
import { mayHaveThumbnail, thumbnailOf } from "../page/thumbnail.ts";
import { Icon } from "../view/icon.tsx";
import { useWidget } from "../view/widget-context.ts";
import { useTexts } from "./more-texts.ts";
import { Thumbnail } from "./thumbnail.tsx";

/** The files of the message that is being written. */
export const UploadList = () => {
  const { uploads } = useWidget();
  return (
    <ul class="uploads">
      {uploads.items.map((upload) => (
        <UploadChip key={upload.key} upload={upload} />
      ))}
    </ul>
  );
};

/** An upload: its progress or its error. */
const UploadChip = ({ upload }: { upload: Upload }) => {
  const { uploads } = useWidget();
  const texts = useTexts();
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
