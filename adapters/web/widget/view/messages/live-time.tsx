import { useEffect, useReducer } from "preact/hooks";
import { relativeTime } from "../../../../../core/contract/relative-time.ts";
import { useWidget } from "../widget-context.ts";
import { elapsedText } from "./time-text.ts";

/** The gateway's time, refreshed while the chat is visible; undefined: no refresh. */
const useNow = (everyMs: number | undefined): number => {
  const { model, panel } = useWidget();
  const [, tick] = useReducer((ticks: number) => ticks + 1, 0);
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => document.hidden || !panel.isOpen || tick(undefined), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, panel]);
  return model.now();
};

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

/** A relative time that stays current (O10). */
export const RelativeTime = ({ at }: { at: string }) => {
  const { locale } = useWidget();
  const now = useNow(30_000);
  const then = Date.parse(at);
  return (
    <time dateTime={at} title={new Date(then).toLocaleString(locale)}>
      {relativeTime(then, now, { locale, timeZone })}
    </time>
  );
};

/** The duration of running or finished work. */
export const Elapsed = ({ since, until }: { since: string; until: string | undefined }) => {
  const now = useNow(until === undefined ? 1_000 : undefined);
  const end = until === undefined ? now : Date.parse(until);
  return <span class="elapsed">{elapsedText(end - Date.parse(since))}</span>;
};
