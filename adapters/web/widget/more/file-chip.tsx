import { useEffect, useState } from "preact/hooks";
import type { Attachment } from "../../../../core/contract/messages/user-message.ts";
import { bytesText } from "../chat/uploads.ts";
import { mayHaveThumbnail } from "../page/thumbnail.ts";
import { Icon } from "../view/icon.tsx";
import { useWidget } from "../view/widget-context.ts";
import { useTexts } from "./more-texts.ts";
import { saveFile, sentThumbnail } from "./save-file.ts";
import { Thumbnail } from "./thumbnail.tsx";

/** A file for download. */
const FileChip = ({ file }: { file: Attachment }) => {
  const { files } = useWidget();
  const texts = useTexts();
  const [hasFailed, setFailed] = useState(false);
  const { name, bytes } = file;
  return (
    <button type="button" class="file" onClick={() => void saveFile(files, file).catch(() => setFailed(true))}>
      <Thumbnail id={file.id} load={mayHaveThumbnail(file) ? () => sentThumbnail(files, file) : undefined}>
        <Icon name={hasFailed ? "alert" : "file"} />
      </Thumbnail>
      <span class="sr">{texts.download}</span>
      <span class="name" dir="auto">
        {name}
      </span>
      <span class="size">{hasFailed ? texts.downloadFailed : bytes !== undefined && bytesText(bytes)}</span>
    </button>
  );
};

/** Formats that every browser shows and that cannot run scripts. */
const PICTURES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const MAX_PICTURE_BYTES = 5_000_000;

/** A file that the agent sent: a picture as it is, any other as a chip. */
const SentFile = ({ file }: { file: Attachment }) => {
  const isPicture = PICTURES.includes(file.mediaType) && (file.bytes ?? 0) <= MAX_PICTURE_BYTES;
  return isPicture ? <Picture file={file} /> : <FileChip file={file} />;
};

/** The policy of the page may forbid the picture, or it may have expired; then the chip remains. */
const Picture = ({ file }: { file: Attachment }) => {
  const { files } = useWidget();
  const texts = useTexts();
  const [address, setAddress] = useState<string>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    let made: string | undefined;
    let isOver = false;
    files.fetch(file).then(
      (content) => {
        if (isOver) return;
        made = URL.createObjectURL(content);
        setAddress(made);
      },
      () => setFailed(true),
    );
    return () => {
      isOver = true;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [file.id]);
  if (address === undefined || hasFailed) return <FileChip file={file} />;
  const label = `${texts.download} ${file.name}`;
  return (
    <button
      type="button"
      class="picture"
      aria-label={label}
      title={file.name}
      onClick={() => void saveFile(files, file)}
    >
      <img src={address} alt={file.name} onError={() => setFailed(true)} />
    </button>
  );
};

/** The files of one message. */
export const FileList = ({ files, areSent = false }: { files: readonly Attachment[]; areSent?: boolean }) => (
  <div class="files">
    {files.map((file) => (areSent ? <SentFile key={file.id} file={file} /> : <FileChip key={file.id} file={file} />))}
  </div>
);
