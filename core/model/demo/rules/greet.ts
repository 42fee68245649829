import type { DemoRule } from "../demo-rule.ts";

const GREETING = /^(hi|hello|hey|hallo|good (morning|afternoon|evening)|moin|servus)\b[^?]{0,40}$/i;
const THANKS = /^(thanks|thank you|thx|cheers)\b[^?]{0,40}$/i;
const FAREWELL = /^(bye|goodbye|see you|good night)\b[^?]{0,40}$/i;

export const greet: DemoRule = {
  skill: () => undefined,
  respond: ({ text }) => {
    if (GREETING.test(text)) return { say: "Hello! What can I do for you?" };
    if (THANKS.test(text)) return { say: "You are welcome." };
    return FAREWELL.test(text) ? { say: "Goodbye!" } : undefined;
  },
};
