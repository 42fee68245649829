import type { DemoRule } from "../demo-rule.ts";

const TOOL = "send_message_to_agent";
const REQUEST =
  /^(?:please\s+)?(ask|tell)\s+(?!(?:me|us|you|him|her|them|everyone)\b)([a-z0-9][a-z0-9-]*)[,:]?\s+(\S.*)$/is;
const ANSWERED = /^\S+ answered[^\n]*:\n([\s\S]*)$/;
const FAILED = /^\S+ gave no answer: ([\s\S]*)$/;
const ASKED_BACK = /\n\n(\S+ wants to know: [\s\S]*?)\n\nAnswer with/;

/** "ask harbour how deep it is", "tell harbour that the ferry is late". */
export const askPeer: DemoRule = {
  skill: ({ offers }) => (offers(TOOL) ? 'ask another agent: "ask <its name> what is 6 * 7?"' : undefined),
  respond: ({ text, results, offers }) => {
    const [, verb = "", agent = "", request = ""] = REQUEST.exec(text) ?? [];
    if (agent === "" || !(offers(TOOL) || results.some(({ name }) => name === TOOL))) return undefined;
    const sent = results.find(({ name }) => name === TOOL);
    if (sent === undefined) {
      const message = request.replace(/^(?:to|about|that)\s+/i, "");
      const msg_type = verb.toLowerCase() === "tell" ? "notify" : "task_delegate";
      return { call: [{ name: TOOL, input: { agent: agent.toLowerCase(), message, msg_type } }] };
    }
    if (sent.failed) return { text: `I could not reach ${agent}: ${sent.output}` };
    const answer = ANSWERED.exec(sent.output)?.[1];
    if (answer !== undefined) return { text: `${agent} says: ${answer}` };
    const failure = FAILED.exec(sent.output)?.[1] ?? ASKED_BACK.exec(sent.output)?.[1];
    if (failure !== undefined) return { text: failure };
    return {
      text:
        verb.toLowerCase() === "tell"
          ? `I have told ${agent}.`
          : `I have asked ${agent}, and will tell you what it says.`,
    };
  },
};

const PEER_UPDATE = /^\[(?:late answers? of other agents|(?:answer|question) of another agent)\]/;
/** Ends at the next note, at the instruction for an answer, or at the end of the text. */
const SAID =
  /^(\S+) (answered|wants to know):\s*([\s\S]*?)(?=\n\n(?:A late [^\n]*\n)?(?:Asking [^\n]*\n\n)?You asked |\n\nAnswer with send_message_to_agent|(?![\s\S]))/gm;
const CALL_FAILED = /^That failed: (.*)$/m;

/** Reports the answers and questions of other agents. */
export const passOn: DemoRule = {
  skill: () => undefined,
  respond: ({ text }) => {
    if (!PEER_UPDATE.test(text)) return undefined;
    const answers = [...text.matchAll(SAID)].map(([, agent, how, answer]) =>
      how === "answered" ? `${agent} says: ${answer}` : `${agent} wants to know: ${answer}`,
    );
    return {
      text: answers.join("\n\n") || `That did not work out: ${CALL_FAILED.exec(text)?.[1] ?? "I do not know why."}`,
    };
  },
};
