import type { Store } from "../contract/ports/store.ts";
import type { Tool, ToolContext } from "../contract/tool.ts";
import type { ChatMessage } from "../model/index.ts";
import { hasForeignText as entryHasForeignText } from "../sessions/index.ts";
import { type TurnRecord, turnKeyById } from "./record/index.ts";
import type { Turn } from "./turn.ts";

const MAX_URLS = 40;
const MAX_URL_CHARS = 2_000;

const WITH_SCHEME = /\bhttps?:\/\/[^\s<>"`|\\^{}]+/gi;
const BETWEEN_WORDS = /[\s<>()[\]"'`|,;]+/;
/** A name with a dot, such as "example.org/page". */
const BARE = /^(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d{1,5})?(?:\/\S*)?$/i;
const PUNCTUATION_AT_END = /[.,;:!?'")\]*_~]+$/;

/** The addresses in a person's text, in the form in which they are compared. */
export const urlsIn = (text: string): string[] => {
  if (!text.includes(".") && !text.includes("://")) return [];
  const complete = [...text.matchAll(WITH_SCHEME)].flatMap(([found]) => [found, withoutPunctuation(found)]);
  const bare = text
    .split(BETWEEN_WORDS)
    .map(withoutPunctuation)
    .filter((word) => word.length <= MAX_URL_CHARS && BARE.test(word))
    .flatMap((word) => [`https://${word}`, `http://${word}`]);
  const usable = [...complete, ...bare].filter((url) => url.length <= MAX_URL_CHARS && URL.canParse(url));
  return [...new Set(usable.map(withoutHash))].slice(0, MAX_URLS);
};

/** Not by one expression for the whole text: a long run of punctuation would make it slow. */
const withoutPunctuation = (word: string): string => {
  const [trailing = ""] = PUNCTUATION_AT_END.exec(word.slice(-MAX_TRAILING)) ?? [];
  return word.slice(0, word.length - trailing.length);
};
const MAX_TRAILING = 10;

const withoutHash = (text: string): string => {
  const url = new URL(text);
  url.hash = "";
  return url.href;
};

/** The addresses in a text of the model that the asker wrote before. */
export const writtenUrls = async (
  text: string,
  { askerWrote: wrote }: Pick<ToolContext, "askerWrote">,
): Promise<string[]> => {
  const found: string[] = [];
  for (const url of urlsIn(text)) if (await wrote?.(url)) found.push(url);
  return found;
};

/** Earlier messages of the session that are searched. */
const MAX_TURNS = 20;

/**
 * Whether the asker of a turn wrote an address: in its message, in the message that its work began with, or in an earlier
 * one of the session. Text of tools, files and other people does not count.
 */
export const askerWrote = async (store: Store, { agent, record, window }: Turn, url: string): Promise<boolean> => {
  if (record.urls?.includes(url)) return true;
  const ref = { tenant: agent.tenant, agent: agent.name };
  const earlier = window.entries.flatMap((entry) => (entry.kind === "turn" ? [entry.turnId] : [])).slice(-MAX_TURNS);
  for (const turnId of new Set([record.standing.rootTurnId, ...earlier.reverse()])) {
    const found = (await store.get(turnKeyById(ref, turnId)))?.value;
    if (found?.asker.personId === record.asker.personId && found.urls?.includes(url)) return true;
  }
  return false;
};

/**
 * Whether the model has read text that no person wrote to it: of pages, tools, files or other agents (T1). It may follow
 * such a text in a later turn too, so all that the session shows it counts.
 */
export const hasReadForeignText = (turn: Turn, messages: readonly ChatMessage[]): boolean =>
  addsForeignText(turn.record, turn.hasForeignText, turn.agent.tools, messages) ||
  turn.window.summaryHasForeignText === true ||
  turn.window.entries.some(entryHasForeignText);

type Origin = Pick<TurnRecord, "cause" | "continues" | "standing">;

/** Whether one turn adds such text to its session: by its prompt, or by the results of its calls. */
export const addsForeignText = (
  { cause, continues, standing }: Origin,
  promptHasForeignText: boolean | undefined,
  tools: readonly Pick<Tool, "name" | "hasOwnTextOnly">[],
  messages: readonly ChatMessage[],
): boolean =>
  // Core writes the prompts of background turns, with results of tools, subtasks and agents.
  cause !== undefined ||
  continues !== undefined ||
  standing.subtaskId !== undefined ||
  promptHasForeignText === true ||
  messages.some((message) => message.role === "tool" && message.results.some(({ name }) => !hasOwnText(tools, name)));

const hasOwnText = (tools: readonly Pick<Tool, "name" | "hasOwnTextOnly">[], name: string): boolean =>
  tools.some((tool) => tool.name === name && tool.hasOwnTextOnly === true);
