import { AnchorChip } from "./anchor-chip.tsx";
import { Icon } from "./icon.tsx";
import { plainText } from "./snippet.ts";
import { useWidget } from "./widget-context.ts";

/** The latest message, beside the closed chat: what it is about first. */
export const Preview = ({ open }: { open: () => void }) => {
  const { texts, panel, formatter } = useWidget();
  const { preview } = panel;
  if (preview === undefined || panel.isOpen) return null;
  return (
    <div class="preview">
      {preview.anchor && <AnchorChip anchor={preview.anchor} origin={undefined} />}
      <button type="button" class="words" onClick={open}>
        <span class="sr">{`${texts.newMessage}: `}</span>
        <span dir="auto">{plainText(preview.markdown, formatter)}</span>
      </button>
      <button type="button" class="tool" aria-label={texts.dismiss} onClick={() => panel.set({ preview: undefined })}>
        <Icon name="close" />
      </button>
    </div>
  );
};
