import type { Block } from "./slack-world.ts";

/** Block Kit's limits from its reference; the last one is not documented but observed. */
const MAX_BLOCKS = 50;
const MAX_SECTION_TEXT = 3_000;
const MAX_CONTEXT_ELEMENTS = 10;
const MAX_ACTIONS = 25;
const MAX_LABEL = 75;
const MAX_VALUE = 2_000;
const MAX_TOTAL_TEXT = 13_200;

export interface BlockProblem {
  readonly error: "invalid_blocks" | "msg_blocks_too_long";
  readonly messages: readonly string[];
}

/** Slack's error for the blocks of a message; undefined if Slack accepts them. */
export const problemWith = (blocks: readonly Block[]): BlockProblem | undefined => {
  const messages = blocks.length > MAX_BLOCKS ? [`no more than ${MAX_BLOCKS} items allowed`] : [];
  blocks.forEach((block, index) => {
    messages.push(...problemsOf(block).map((text) => `[ERROR] ${text} [json-pointer:/blocks/${index}]`));
  });
  if (messages.length > 0) return { error: "invalid_blocks", messages };
  return textsOf(blocks).join("").length > MAX_TOTAL_TEXT ? { error: "msg_blocks_too_long", messages: [] } : undefined;
};

const problemsOf = (block: Block): string[] => {
  const elements = Array.isArray(block.elements) ? (block.elements as Block[]) : [];
  switch (block.type) {
    case "section":
      return checkText(block.text, MAX_SECTION_TEXT);
    case "context":
      if (elements.length === 0 || elements.length > MAX_CONTEXT_ELEMENTS) return ["wrong number of elements"];
      return elements.flatMap((element) => checkText(element, MAX_SECTION_TEXT));
    case "actions": {
      if (elements.length === 0 || elements.length > MAX_ACTIONS) return ["wrong number of elements"];
      const ids = elements.map(({ action_id }) => action_id);
      if (new Set(ids).size < ids.length) return ["action_id already exists"];
      return elements.flatMap((element) => [
        ...checkText(element.text, MAX_LABEL),
        ...(typeof element.value === "string" && element.value.length > MAX_VALUE ? ["value too long"] : []),
      ]);
    }
    case "divider":
      return [];
    default:
      return [`unsupported block: ${block.type}`];
  }
};

const checkText = (value: unknown, maxLength: number): string[] => {
  const { type, text } = (value ?? {}) as { type?: unknown; text?: unknown };
  if (type !== "mrkdwn" && type !== "plain_text") return ["missing required field: text"];
  if (typeof text !== "string" || text === "") return ["must be more than 0 characters"];
  return text.length > maxLength ? [`must be less than ${maxLength + 1} characters`] : [];
};

/** The texts in which Slack interprets mark-up; or only those in which it also interprets plain words such as "@here". */
export const textsOf = (blocks: readonly Block[], which?: "not verbatim"): string[] =>
  blocks.flatMap(({ text, elements }) =>
    [text, ...(Array.isArray(elements) ? elements : [])].flatMap((part) => {
      const { type, text: content, verbatim } = (part ?? {}) as { type?: unknown; text?: unknown; verbatim?: unknown };
      const isRead = type === "mrkdwn" && !(which && verbatim === true);
      return isRead && typeof content === "string" ? [content] : [];
    }),
  );
