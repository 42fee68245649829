import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";
import { useWidget } from "./widget-context.ts";

/** The button that opens and closes the chat, with the number of messages that nobody has read. */
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
