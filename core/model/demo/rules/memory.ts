import type { DemoAnswer, DemoRule } from "../demo-rule.ts";

/** The key of a note about a subject; the same for "My cat" and "my cat?". */
export const memoryKey = (subject: string): string => {
  const words = subject.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, 6).join("-").slice(0, 60) || "note";
};

const SAVE = "save_to_working_memory";
const REMEMBER = /^(?:please\s+)?(?:remember|note|keep in mind)(?:\s+that\b|\s*:)?\s+(\S.*)$/is;
/** "my cat is called Tom" is about "my cat". */
const SUBJECT = /^(.{1,60}?)\s*(?:\b(?:is|are|was|has|have|likes?|lives?|called)\b|[:=])/is;

export const remember: DemoRule = {
  skill: ({ offers }) => (offers(SAVE) ? 'keep a note: "remember that my cat is called Tom"' : undefined),
  respond: ({ text, results, offers }) => {
    const note = REMEMBER.exec(text)?.[1]?.trim();
    if (note === undefined) return undefined;
    const saved = results.find(({ name }) => name === SAVE);
    if (saved !== undefined)
      return { text: saved.failed ? `I could not save that: ${saved.output}` : `Noted: ${note}` };
    if (!offers(SAVE)) return { text: "I have no working memory here, so I cannot save that." };
    return { call: [{ name: SAVE, input: { key: memoryKey(SUBJECT.exec(note)?.[1] ?? note), value: note } }] };
  },
};

const LIST = "list_working_memory";
const GET = "get_from_working_memory";
const RECALL =
  /^(?:what (?:do|did) you (?:remember|know|note)|list your (?:notes|memory))(?:\s+(?:about|of)\s+(.+?))?[?.!\s]*$/is;
const LISTED_KEY = /^- (.+) \(\d+ bytes, until /gm;
const MAX_NOTES = 10;

/** Reads the notes of the listed keys, because the list has the keys only. */
const readAll = (list: string): DemoAnswer => {
  const keys = [...list.matchAll(LISTED_KEY)].map(([, key = ""]) => key).slice(0, MAX_NOTES);
  if (keys.length === 0) return { text: "I have no notes yet." };
  return { call: keys.map((key) => ({ name: GET, input: { key } })) };
};

export const recall: DemoRule = {
  skill: ({ offers }) => (offers(LIST) ? 'list my notes: "what do you remember?"' : undefined),
  respond: ({ text, results, offers }) => {
    const request = RECALL.exec(text);
    if (request === null) return undefined;
    const failed = results.find((result) => result.failed);
    if (failed !== undefined) return { text: `I could not look it up: ${failed.output}` };
    const notes = results.filter(({ name }) => name === GET).map(({ output }) => output);
    if (notes.length > 0)
      return { text: ["This is what I noted:", "", ...notes.map((note) => `- ${note}`)].join("\n") };
    const listed = results.find(({ name }) => name === LIST);
    if (listed !== undefined) return offers(GET) ? readAll(listed.output) : { text: listed.output };
    const subject = request[1];
    if (subject !== undefined && offers(GET)) return { call: [{ name: GET, input: { key: memoryKey(subject) } }] };
    if (offers(LIST)) return { call: [{ name: LIST, input: {} }] };
    return { text: "I have no working memory here." };
  },
};

const DELETE = "delete_from_working_memory";
const FORGET = /^(?:please\s+)?forget(?:\s+about)?\s+(\S.*?)[?.!\s]*$/is;

export const forget: DemoRule = {
  skill: ({ offers }) => (offers(DELETE) ? 'delete a note: "forget my cat"' : undefined),
  respond: ({ text, results, offers }) => {
    const subject = FORGET.exec(text)?.[1];
    if (subject === undefined) return undefined;
    const deleted = results.find(({ name }) => name === DELETE);
    if (deleted?.failed) return { text: `I could not forget that: ${deleted.output}` };
    if (deleted !== undefined) return { text: `Forgotten: ${subject}` };
    if (!offers(DELETE)) return { text: "I have no working memory here, so there is nothing to forget." };
    return { call: [{ name: DELETE, input: { key: memoryKey(subject) } }] };
  },
};
