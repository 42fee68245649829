import { useCallback, useEffect, useReducer } from "preact/hooks";
import { Launcher, Preview } from "./launcher.tsx";
import { Panel } from "./panel.tsx";
import { type WidgetContext, WidgetProvider } from "./widget-context.ts";

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
