import { useEffect, useReducer } from "preact/hooks";

const TICK_MS = 10_000;
const watching = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** The current time, updated while the page is visible. All components share one timer. */
export const useNow = (): number => {
  const [, redraw] = useReducer((ticks: number) => ticks + 1, 0);
  useEffect(() => {
    const watch = () => redraw(undefined);
    watching.add(watch);
    timer ??= setInterval(() => {
      if (!document.hidden) for (const each of watching) each();
    }, TICK_MS);
    return () => {
      watching.delete(watch);
      if (watching.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return Date.now();
};
