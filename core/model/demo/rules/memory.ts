import type { DemoAnswer, DemoRule } from "../demo-rule.ts";

/** The key of a note about a subject; the same for "My cat" and "my cat?". */
export const memoryKey = (subject: string): string => {
  const words = subject.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, 6).join("-").slice(0, 60) || "note";
};

/** Lasting memory, if the speaker may use it; otherwise notes of the session. */
const KEEP = "remember";
const SEARCH = "recall";
const ERASE = "forget";

const SAVE = "save_to_working_memory";
const REMEMBER = /^(?:please\s+)?(?:remember|note|keep in mind)(?:\s+that\b|\s*:)?\s+(\S.*)$/is;
/** "my cat is called Tom" is about "my cat". */
const SUBJECT = /^(.{1,60}?)\s*(?:\b(?:is|are|was|has|have|likes?|lives?|called)\b|[:=])/is;

export const remember: DemoRule = {
  skill: ({ offers }) =>
    offers(KEEP) || offers(SAVE) ? 'keep a note: "remember that my cat is called Tom"' : undefined,
  respond: ({ text, results, offers }) => {
    const note = REMEMBER.exec(text)?.[1]?.trim();
    if (note === undefined) return undefined;
    const saved = results.find(({ name }) => name === SAVE || name === KEEP);
    if (saved?.failed) return { text: `I could not save that: ${saved.output}` };
    if (saved?.output.startsWith("Not run yet")) return { text: "I asked you to confirm that first." };
    if (saved !== undefined) return { text: `Noted: ${note}` };
    if (offers(KEEP)) return { call: [{ name: KEEP, input: { text: note } }] };
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

/** "What do you know about me?" asks for everything. */
const aboutPerson = (subject = "me"): boolean => /^(?:me|us|myself)$/i.test(subject);

export const recall: DemoRule = {
  skill: ({ offers }) => (offers(SEARCH) || offers(LIST) ? 'list my notes: "what do you remember?"' : undefined),
  respond: ({ text, results, offers }) => {
    const request = RECALL.exec(text);
    if (request === null) return undefined;
    const failed = results.find((result) => result.failed);
    if (failed !== undefined) return { text: `I could not look it up: ${failed.output}` };
    const found = results.find(({ name }) => name === SEARCH);
    if (found !== undefined)
      return { text: `${/^- /.test(found.output) ? "This is what I remember:\n\n" : ""}${found.output}` };
    if (offers(SEARCH))
      return { call: [{ name: SEARCH, input: { query: aboutPerson(request[1]) ? "" : request[1] } }] };
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

/** The best match of the search. */
const forgetFirst = (found: string): DemoAnswer => {
  const number = /^- (\d+): /.exec(found)?.[1];
  if (number === undefined) return { text: "I remember nothing like that." };
  return { call: [{ name: ERASE, input: { number: Number(number) } }] };
};

export const forget: DemoRule = {
  skill: ({ offers }) => (offers(ERASE) || offers(DELETE) ? 'delete a note: "forget my cat"' : undefined),
  respond: ({ text, results, offers }) => {
    const subject = FORGET.exec(text)?.[1];
    if (subject === undefined) return undefined;
    const found = results.find(({ name }) => name === SEARCH);
    const deleted = results.find(({ name }) => name === DELETE || name === ERASE);
    if (deleted?.failed) return { text: `I could not forget that: ${deleted.output}` };
    if (deleted?.output.startsWith("Not run yet")) return { text: "I asked you to confirm that first." };
    if (deleted !== undefined) return { text: `Forgotten: ${subject}` };
    if (found !== undefined) return forgetFirst(found.output);
    if (offers(SEARCH) && offers(ERASE)) return { call: [{ name: SEARCH, input: { query: subject, limit: 1 } }] };
    if (!offers(DELETE)) return { text: "I have no working memory here, so there is nothing to forget." };
    return { call: [{ name: DELETE, input: { key: memoryKey(subject) } }] };
  },
};
