import type { DemoRule } from "../demo-rule.ts";

const LONGEST_ECHO = 200;

/** The last rule: it takes everything. */
export const echo: DemoRule = {
  skill: () => "repeat what I understood of anything else",
  respond: ({ text, results }) => {
    if (results.length > 0) return { say: results.map(({ name, output }) => `${name}: ${output}`).join("\n") };
    const words = text.replace(/\s+/g, " ").trim();
    if (words === "") return { say: "I got a message without text, and text is all I can read." };
    const characters = [...words];
    const shown = characters.length > LONGEST_ECHO ? `${characters.slice(0, LONGEST_ECHO).join("")}…` : words;
    return { say: `I understood: "${shown}"` };
  },
};
