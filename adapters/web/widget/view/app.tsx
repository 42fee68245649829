import { useCallback, useEffect, useReducer, useRef, useState } from "preact/hooks";
import { Composer } from "./composer.tsx";
import { Header } from "./header.tsx";
import { Launcher, Preview } from "./launcher.tsx";
import { MessageList } from "./messages/message-list.tsx";
import { useWidget, type WidgetContext, WidgetProvider } from "./widget-context.ts";

interface AppProps {
  readonly widget: WidgetContext;
  /** Embedded in an element of the page instead of floating over it. */
  readonly isInline: boolean;
  /** Registers a callback for updates; the result unregisters it. */
  readonly follow: (rerender: () => void) => () => void;
  readonly show: (isOpen: boolean) => void;
}

export const App = ({ widget, isInline, follow, show }: AppProps) => {
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  useEffect(() => follow(() => rerender(undefined)), [follow]);
  const { options, panel } = widget;
  const close = useCallback(() => show(false), [show]);
  return (
    <WidgetProvider.Provider value={widget}>
      <Panel close={isInline ? undefined : close} />
      {!isInline && <Preview open={() => show(true)} />}
      {!isInline && options.hasLauncher && <Launcher toggle={() => show(!panel.isOpen)} />}
      <div class="sr" aria-live="polite">
        {panel.announced}
      </div>
    </WidgetProvider.Provider>
  );
};

/** The open chat. Files can be dropped anywhere on it. */
const Panel = ({ close }: { close: (() => void) | undefined }) => {
  const { texts, panel, model, uploads, lazy } = useWidget();
  const section = useRef<HTMLElement>(null);
  const [isDropTarget, setDropTarget] = useState(false);
  const { isOpen, isListing } = panel;
  const List = isListing ? lazy.views?.ConversationList : undefined;
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
      {List ? <List /> : <MessageList />}
      {List === undefined && <Composer />}
      {isDropTarget && <div class="drop">{texts.drop}</div>}
    </section>
  );
};
