import type { DemoRule } from "../demo-rule.ts";

const TOOL = "schedule_task";
const PLEASE = /^(?:please\s+)?/i;
const LATER = /^in\s+(?:an?\s+)?(\d+\s*)?(seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?)\b,?\s*(\S.*)$/is;
const AT_TIMES = /^every\s+(day|weekday|morning|evening)(?:\s+at\s+(\d{1,2})(?::(\d{2}))?)?\b,?\s*(\S.*)$/is;
const EVERY = /^every\s+(\d+\s*)?(minutes?|mins?|m|hours?|h|days?)\b,?\s*(\S.*)$/is;

/** "in 20 seconds tell me to stretch", "every weekday at 9 research the news". */
export const schedule: DemoRule = {
  skill: ({ offers }) =>
    offers(TOOL)
      ? 'do something later: "in 20 seconds tell me to stretch", "every day at 9 tell me the plan"'
      : undefined,
  respond: ({ text, results, offers }) => {
    const wish = wishIn(text.replace(PLEASE, ""));
    if (wish === undefined || !offers(TOOL)) return undefined;
    const made = results.find(({ name }) => name === TOOL);
    if (made !== undefined) return { text: made.failed ? `I could not schedule that: ${made.output}` : made.output };
    return { call: [{ name: TOOL, input: { ...wish, description: wish.prompt.slice(0, 80) } }] };
  },
};

const wishIn = (text: string): { when: string; prompt: string } | undefined => {
  const later = LATER.exec(text);
  if (later) return { when: `in ${(later[1] ?? "1").trim()} ${later[2]}`, prompt: later[3] ?? "" };
  const timed = AT_TIMES.exec(text);
  if (timed) {
    const [, days = "", hour = days === "evening" ? "18" : "9", minute = "0", prompt = ""] = timed;
    return { when: `${Number(minute)} ${Number(hour)} * * ${days === "weekday" ? "1-5" : "*"}`, prompt };
  }
  const every = EVERY.exec(text);
  if (every) return { when: `every ${(every[1] ?? "1").trim()} ${every[2]}`, prompt: every[3] ?? "" };
  return undefined;
};

const REMINDER = /^(?:please\s+)?(?:tell|remind) me\s+(?:to|that|about)?\s*(\S.*?)[.!\s]*$/is;

/** The answer of a scheduled run. */
export const remind: DemoRule = {
  skill: () => undefined,
  respond: ({ text, isScheduled }) => {
    const about = isScheduled ? REMINDER.exec(text)?.[1] : undefined;
    return about === undefined ? undefined : { text: `Here is your reminder: ${about}` };
  },
};
