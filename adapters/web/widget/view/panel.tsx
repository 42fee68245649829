import { useEffect, useRef, useState } from "preact/hooks";
import { Composer } from "./composer.tsx";
import { Header } from "./header.tsx";
import { MessageList } from "./messages/message-list.tsx";
import { useWidget } from "./widget-context.ts";

/** The open chat. Files can be dropped anywhere on it. */
export const Panel = ({ close }: { close: (() => void) | undefined }) => {
  const { texts, panel, model, uploads } = useWidget();
  const section = useRef<HTMLElement>(null);
  const [isDropTarget, setDropTarget] = useState(false);
  const { isOpen } = panel;
  useEffect(() => {
    if (isOpen && close) section.current?.querySelector("textarea")?.focus();
  }, [isOpen, close]);
  const takesFiles = (event: DragEvent) =>
    model.limits.fileBytes > 0 && event.dataTransfer?.types.includes("Files") === true;
  return (
    <section
      ref={section}
      class="panel"
      role={close ? "dialog" : "region"}
      aria-labelledby="title"
      hidden={!isOpen}
      onKeyDown={(event) => event.key === "Escape" && close?.()}
      onDragOver={(event) => {
        if (!takesFiles(event)) return;
        event.preventDefault();
        setDropTarget(true);
      }}
      onDragLeave={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && section.current?.contains(relatedTarget))) setDropTarget(false);
      }}
      onDrop={(event) => {
        setDropTarget(false);
        if (!takesFiles(event)) return;
        event.preventDefault();
        uploads.add(event.dataTransfer?.files ?? []);
      }}
    >
      <Header close={close} />
      <MessageList />
      <Composer />
      {isDropTarget && <div class="drop">{texts.drop}</div>}
    </section>
  );
};
