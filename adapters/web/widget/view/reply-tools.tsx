import { useState } from "preact/hooks";
import type { Shown } from "../../client/transcript.ts";
import { Icon } from "./icon.tsx";
import { snippetOf } from "./snippet.ts";
import { useWidget } from "./widget-context.ts";

/** What one can do with a message. Shown with the pointer or the focus on it. */
export const ReplyTools = ({ item }: { item: Shown }) => {
  const { texts, panel, formatter } = useWidget();
  const { id, markdown } = item;
  const answer = () => panel.set({ answering: { id, about: snippetOf(item, formatter) } });
  return (
    <div class="tools">
      <button type="button" class="tool" aria-label={texts.reply} title={texts.reply} onClick={answer}>
        <Icon name="reply" />
      </button>
      {/* Pages that are not secure have none. */}
      {navigator.clipboard !== undefined && <CopyButton text={markdown} />}
    </div>
  );
};

const CopyButton = ({ text }: { text: string }) => {
  const { texts } = useWidget();
  const [isCopied, setCopied] = useState(false);
  const label = isCopied ? texts.copied : texts.copy;
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <button type="button" class="tool" aria-label={label} title={label} onClick={() => void copy()}>
      <Icon name={isCopied ? "check" : "copy"} />
    </button>
  );
};
