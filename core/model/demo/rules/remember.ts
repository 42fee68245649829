import type { DemoRule } from "../demo-rule.ts";
import { memoryKey } from "../memory-key.ts";

const TOOL = "save_to_working_memory";
const REQUEST = /^(?:please\s+)?(?:remember|note|keep in mind)(?:\s+that\b|\s*:)?\s+(\S.*)$/is;
/** "my cat is called Tom" is about "my cat". */
const SUBJECT = /^(.{1,60}?)\s*(?:\b(?:is|are|was|has|have|likes?|lives?|called)\b|[:=])/is;

export const remember: DemoRule = {
  skill: ({ offers }) => (offers(TOOL) ? 'keep a note: "remember that my cat is called Tom"' : undefined),
  respond: ({ text, results, offers }) => {
    const note = REQUEST.exec(text)?.[1]?.trim();
    if (note === undefined) return undefined;
    const saved = results.find(({ name }) => name === TOOL);
    if (saved !== undefined) return { say: saved.failed ? `I could not keep that: ${saved.output}` : `Noted: ${note}` };
    if (!offers(TOOL)) return { say: "I have no working memory here, so I cannot keep that." };
    return { call: [{ name: TOOL, input: { key: memoryKey(SUBJECT.exec(note)?.[1] ?? note), value: note } }] };
  },
};
