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
    const [, verb = "", agent = "", words = ""] = REQUEST.exec(text) ?? [];
    if (agent === "" || !(offers(TOOL) || results.some(({ name }) => name === TOOL))) return undefined;
    const sent = results.find(({ name }) => name === TOOL);
    if (sent === undefined) {
      const message = words.replace(/^(?:to|about|that)\s+/i, "");
      const msg_type = verb.toLowerCase() === "tell" ? "notify" : "task_delegate";
      return { call: [{ name: TOOL, input: { agent: agent.toLowerCase(), message, msg_type } }] };
    }
    if (sent.failed) return { say: `I could not reach ${agent}: ${sent.output}` };
    const answer = ANSWERED.exec(sent.output)?.[1];
    if (answer !== undefined) return { say: `${agent} says: ${answer}` };
    const said = FAILED.exec(sent.output)?.[1] ?? ASKED_BACK.exec(sent.output)?.[1];
    if (said !== undefined) return { say: said };
    return {
      say:
        verb.toLowerCase() === "tell" ? `${agent} is told.` : `I have asked ${agent}, and will tell you what it says.`,
    };
  },
};
