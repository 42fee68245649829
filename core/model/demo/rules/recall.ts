import type { DemoAnswer, DemoRule } from "../demo-rule.ts";
import { memoryKey } from "../memory-key.ts";

const LIST = "list_working_memory";
const GET = "get_from_working_memory";
const REQUEST =
  /^(?:what (?:do|did) you (?:remember|know|note)|list your (?:notes|memory))(?:\s+(?:about|of)\s+(.+?))?[?.!\s]*$/is;
const LISTED_KEY = /^- (.+) \(\d+ bytes, until /gm;
const MOST_NOTES = 10;

/** The list has only the keys: what people want to hear is in the notes. */
const readAll = (list: string): DemoAnswer => {
  const keys = [...list.matchAll(LISTED_KEY)].map(([, key = ""]) => key).slice(0, MOST_NOTES);
  if (keys.length === 0) return { say: "I have noted nothing yet." };
  return { call: keys.map((key) => ({ name: GET, input: { key } })) };
};

export const recall: DemoRule = {
  skill: ({ offers }) => (offers(LIST) ? 'tell what I noted: "what do you remember?"' : undefined),
  respond: ({ text, results, offers }) => {
    const request = REQUEST.exec(text);
    if (request === null) return undefined;
    const failed = results.find((result) => result.failed);
    if (failed !== undefined) return { say: `I could not look it up: ${failed.output}` };
    const notes = results.filter(({ name }) => name === GET).map(({ output }) => output);
    if (notes.length > 0) return { say: ["This is what I noted:", "", ...notes.map((note) => `- ${note}`)].join("\n") };
    const listed = results.find(({ name }) => name === LIST);
    if (listed !== undefined) return offers(GET) ? readAll(listed.output) : { say: listed.output };
    const subject = request[1];
    if (subject !== undefined && offers(GET)) return { call: [{ name: GET, input: { key: memoryKey(subject) } }] };
    if (offers(LIST)) return { call: [{ name: LIST, input: {} }] };
    return { say: "I have no working memory here." };
  },
};
