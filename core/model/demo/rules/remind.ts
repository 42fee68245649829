import type { DemoRule } from "../demo-rule.ts";

const REQUEST = /^(?:please\s+)?(?:tell|remind) me\s+(?:to|that|about)?\s*(\S.*?)[.!\s]*$/is;

/** The answer of a scheduled run. */
export const remind: DemoRule = {
  skill: () => undefined,
  respond: ({ text, isScheduled }) => {
    const matter = isScheduled ? REQUEST.exec(text)?.[1] : undefined;
    return matter === undefined ? undefined : { say: `Here is your reminder: ${matter}` };
  },
};
