import { useEffect, useRef } from "preact/hooks";
import { plainText } from "../markdown/snippet.ts";
import { Icon } from "./icon.tsx";
import { AnchorChip } from "./messages/anchor-chip.tsx";
import { useWidget } from "./widget-context.ts";

/** The button that opens and closes the chat, with the number of unread messages. */
export const Launcher = ({ toggle }: { toggle: () => void }) => {
  const { texts, panel } = useWidget();
  const { isOpen, unread } = panel;
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const action = isOpen ? texts.close : texts.open;
  return (
    <button
      type="button"
      class="launcher"
      ref={button}
      aria-expanded={isOpen}
      aria-label={unread > 0 ? `${action}, ${texts.unread(unread)}` : action}
      onClick={toggle}
    >
      <Icon name={isOpen ? "down" : "chat"} />
      {unread > 0 && <span class="badge">{unread > 9 ? "9+" : unread}</span>}
    </button>
  );
};

/** The latest message beside the closed chat, with its anchor first. */
export const Preview = ({ open }: { open: () => void }) => {
  const { texts, panel, formatter } = useWidget();
  const { preview } = panel;
  if (preview === undefined || panel.isOpen) return null;
  return (
    <div class="preview">
      {preview.anchor && <AnchorChip anchor={preview.anchor} origin={undefined} />}
      <button type="button" class="preview-text" onClick={open}>
        <span class="sr">{`${texts.newMessage}: `}</span>
        <span dir="auto">{plainText(preview.markdown, formatter)}</span>
      </button>
      <button type="button" class="tool" aria-label={texts.dismiss} onClick={() => panel.set({ preview: undefined })}>
        <Icon name="close" />
      </button>
    </div>
  );
};
