import { useEffect, useReducer } from "preact/hooks";
import { useWidget } from "./widget-context.ts";

/** The time by the gateway's clock, kept fresh while somebody looks; undefined: it need not be. */
export const useNow = (everyMs: number | undefined): number => {
  const { model, panel } = useWidget();
  const [, tick] = useReducer((ticks: number) => ticks + 1, 0);
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => document.hidden || !panel.isOpen || tick(undefined), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, panel]);
  return model.now();
};
