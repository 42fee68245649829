import type { DemoRule } from "../demo-rule.ts";
import { memoryKey } from "../memory-key.ts";

const LIST = "list_working_memory";
const GET = "get_from_working_memory";
const REQUEST =
  /^(?:what (?:do|did) you (?:remember|know|note)|list your (?:notes|memory))(?:\s+(?:about|of)\s+(.+?))?[?.!\s]*$/is;

export const recall: DemoRule = {
  skill: ({ offers }) => (offers(LIST) ? 'tell what I noted: "what do you remember?"' : undefined),
  respond: ({ text, results, offers }) => {
    const request = REQUEST.exec(text);
    if (request === null) return undefined;
    const found = results.find(({ name }) => name === LIST || name === GET);
    if (found?.failed) return { say: `I could not look it up: ${found.output}` };
    if (found !== undefined) return { say: `This is what I noted:\n\n${found.output}` };
    const subject = request[1];
    if (subject !== undefined && offers(GET)) return { call: [{ name: GET, input: { key: memoryKey(subject) } }] };
    if (offers(LIST)) return { call: [{ name: LIST, input: {} }] };
    return { say: "I have no working memory here." };
  },
};
