import type { DemoRule } from "../demo-rule.ts";

const NEWS = /^\[(?:late answers? of other agents|(?:answer|question) of another agent)\]/;
/** Up to the next note, to how a question is answered, or to the end. */
const SAID =
  /^(\S+) (answered|wants to know):\s*([\s\S]*?)(?=\n\n(?:A late [^\n]*\n)?(?:Asking [^\n]*\n\n)?You asked |\n\nAnswer with send_message_to_agent|(?![\s\S]))/gm;
const FAILED = /^That failed: (.*)$/m;

/** Tells people what another agent said. */
export const passOn: DemoRule = {
  skill: () => undefined,
  respond: ({ text }) => {
    if (!NEWS.test(text)) return undefined;
    const said = [...text.matchAll(SAID)].map(([, agent, how, words]) =>
      how === "answered" ? `${agent} says: ${words}` : `${agent} wants to know: ${words}`,
    );
    return { say: said.join("\n\n") || `That did not work out: ${FAILED.exec(text)?.[1] ?? "I do not know why."}` };
  },
};
