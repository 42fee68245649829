import type { DemoRule, Situation } from "../demo-rule.ts";

const GREETING = /^(hi|hello|hey|hallo|good (morning|afternoon|evening)|moin|servus)\b[^?]{0,40}$/i;
const THANKS = /^(thanks|thank you|thx|cheers)\b[^?]{0,40}$/i;
const FAREWELL = /^(bye|goodbye|see you|good night)\b[^?]{0,40}$/i;

export const greet: DemoRule = {
  skill: () => undefined,
  respond: ({ text }) => {
    if (GREETING.test(text)) return { text: "Hello! What can I do for you?" };
    if (THANKS.test(text)) return { text: "You are welcome." };
    return FAREWELL.test(text) ? { text: "Goodbye!" } : undefined;
  },
};

const QUESTION = /^(?:what (?:can|could) (?:you|i) (?:do|ask|say)|help|what are you|who are you|how do you work)\b/i;

/** Lists the skills of the other rules. */
export const explainSkills = (rules: readonly DemoRule[]): DemoRule => ({
  skill: () => undefined,
  respond: (situation) => (QUESTION.test(situation.text) ? { text: listOf(rules, situation) } : undefined),
});

const listOf = (rules: readonly DemoRule[], situation: Situation): string => {
  const skills = rules.flatMap((rule) => rule.skill(situation) ?? []);
  return ["I follow a few fixed rules. I can", "", ...skills.map((skill) => `- ${skill}`)].join("\n");
};

const MAX_ECHO_CHARS = 200;

/** The last rule: it answers every message. */
export const echo: DemoRule = {
  skill: () => "repeat anything else that you write",
  respond: ({ text, results }) => {
    if (results.length > 0) return { text: results.map(({ name, output }) => `${name}: ${output}`).join("\n") };
    const line = text.replace(/\s+/g, " ").trim();
    if (line === "") return { text: "Your message has no text, and I can only read text." };
    const characters = [...line];
    const shown = characters.length > MAX_ECHO_CHARS ? `${characters.slice(0, MAX_ECHO_CHARS).join("")}…` : line;
    return { text: `I understood: "${shown}"` };
  },
};
