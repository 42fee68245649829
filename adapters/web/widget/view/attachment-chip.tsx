import { useState } from "preact/hooks";
import type { Attachment } from "../../../../core/contract/user-message.ts";
import { bytesText } from "../chat/bytes-text.ts";
import { Icon } from "./icon.tsx";
import { useWidget } from "./widget-context.ts";

/** A file of a message that was sent; it can be had back. */
export const AttachmentChip = ({ attachment }: { attachment: Attachment }) => {
  const { texts, download } = useWidget();
  const [hasFailed, setFailed] = useState(false);
  const { name, bytes } = attachment;
  return (
    <button type="button" class="file" onClick={() => void download(attachment).catch(() => setFailed(true))}>
      <Icon name={hasFailed ? "alert" : "file"} />
      <span class="sr">{texts.download}</span>
      <span class="name" dir="auto">
        {name}
      </span>
      <span class="size">{hasFailed ? texts.downloadFailed : bytes !== undefined && bytesText(bytes)}</span>
    </button>
  );
};
