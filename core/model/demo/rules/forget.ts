import type { DemoRule } from "../demo-rule.ts";
import { memoryKey } from "../memory-key.ts";

const TOOL = "delete_from_working_memory";
const REQUEST = /^(?:please\s+)?forget(?:\s+about)?\s+(\S.*?)[?.!\s]*$/is;

export const forget: DemoRule = {
  skill: ({ offers }) => (offers(TOOL) ? 'drop a note: "forget my cat"' : undefined),
  respond: ({ text, results, offers }) => {
    const subject = REQUEST.exec(text)?.[1];
    if (subject === undefined) return undefined;
    const deleted = results.find(({ name }) => name === TOOL);
    if (deleted?.failed) return { say: `I could not forget that: ${deleted.output}` };
    if (deleted !== undefined) return { say: `Forgotten: ${subject}` };
    if (!offers(TOOL)) return { say: "I have no working memory here, so there is nothing to forget." };
    return { call: [{ name: TOOL, input: { key: memoryKey(subject) } }] };
  },
};
