import { Cron } from "croner";
import type { When } from "./when.ts";

/** The first due time after a moment; undefined: there is none. */
export const nextDue = (when: When, after: number): number | undefined => {
  switch (when.kind) {
    case "once": {
      const at = Date.parse(when.at);
      return at > after ? at : undefined;
    }
    case "every": {
      const from = Date.parse(when.from);
      return from + Math.max(1, Math.floor((after - from) / when.everyMs) + 1) * when.everyMs;
    }
    case "cron":
      return cronOf(when.expression, when.timeZone).nextRun(new Date(after))?.getTime();
  }
};

/** The last due time up to a moment, that moment included; undefined: there was none. */
export const lastDue = (when: When, upTo: number): number | undefined => {
  switch (when.kind) {
    case "once": {
      const at = Date.parse(when.at);
      return at <= upTo ? at : undefined;
    }
    case "every": {
      const rounds = Math.floor((upTo - Date.parse(when.from)) / when.everyMs);
      return rounds < 1 ? undefined : Date.parse(when.from) + rounds * when.everyMs;
    }
    case "cron": {
      // It looks before a whole second.
      const second = Math.floor(upTo / 1_000) * 1_000 + 1_000;
      const [before] = cronOf(when.expression, when.timeZone).previousRuns(1, new Date(second));
      return before?.getTime();
    }
  }
};

/** Throws what croner says about an expression or a zone that it does not take. */
export const cronOf = (expression: string, timeZone: string): Cron => {
  const key = `${timeZone} ${expression}`;
  let cron = crons.get(key);
  if (cron === undefined) {
    cron = new Cron(expression, { timezone: timeZone, paused: true });
    if (crons.size >= MOST_KEPT) crons.clear();
    crons.set(key, cron);
  }
  return cron;
};

/** To make one takes as long as to ask it a hundred times. */
const crons = new Map<string, Cron>();
const MOST_KEPT = 1_000;
