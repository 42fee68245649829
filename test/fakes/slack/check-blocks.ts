import type { Block } from "./slack-world.ts";

/** Block Kit's limits, from its reference; the last one was met in use. */
const MOST_BLOCKS = 50;
const TEXT_OF_SECTION = 3_000;
const ELEMENTS_OF_CONTEXT = 10;
const ELEMENTS_OF_ACTIONS = 25;
const LABEL = 75;
const VALUE = 2_000;
const ALL_TOGETHER = 13_200;

export interface BlockProblem {
  readonly error: "invalid_blocks" | "msg_blocks_too_long";
  readonly messages: readonly string[];
}

/** What Slack would say about the blocks of a message, if it would refuse them. */
export const problemWith = (blocks: readonly Block[]): BlockProblem | undefined => {
  const messages = blocks.length > MOST_BLOCKS ? [`no more than ${MOST_BLOCKS} items allowed`] : [];
  blocks.forEach((block, index) => {
    messages.push(...complaints(block).map((text) => `[ERROR] ${text} [json-pointer:/blocks/${index}]`));
  });
  if (messages.length > 0) return { error: "invalid_blocks", messages };
  return textsOf(blocks).join("").length > ALL_TOGETHER ? { error: "msg_blocks_too_long", messages: [] } : undefined;
};

const complaints = (block: Block): string[] => {
  const elements = Array.isArray(block.elements) ? (block.elements as Block[]) : [];
  switch (block.type) {
    case "section":
      return checkText(block.text, TEXT_OF_SECTION);
    case "context":
      if (elements.length === 0 || elements.length > ELEMENTS_OF_CONTEXT) return ["wrong number of elements"];
      return elements.flatMap((element) => checkText(element, TEXT_OF_SECTION));
    case "actions": {
      if (elements.length === 0 || elements.length > ELEMENTS_OF_ACTIONS) return ["wrong number of elements"];
      const ids = elements.map(({ action_id }) => action_id);
      if (new Set(ids).size < ids.length) return ["action_id already exists"];
      return elements.flatMap((element) => [
        ...checkText(element.text, LABEL),
        ...(typeof element.value === "string" && element.value.length > VALUE ? ["value too long"] : []),
      ]);
    }
    case "divider":
      return [];
    default:
      return [`unsupported block: ${block.type}`];
  }
};

const checkText = (value: unknown, most: number): string[] => {
  const { type, text } = (value ?? {}) as { type?: unknown; text?: unknown };
  if (type !== "mrkdwn" && type !== "plain_text") return ["missing required field: text"];
  if (typeof text !== "string" || text === "") return ["must be more than 0 characters"];
  return text.length > most ? [`must be less than ${most + 1} characters`] : [];
};

/** Every text in blocks that Slack reads mark-up in; or only those whose plain words it reads too. */
export const textsOf = (blocks: readonly Block[], which?: "not verbatim"): string[] =>
  blocks.flatMap(({ text, elements }) =>
    [text, ...(Array.isArray(elements) ? elements : [])].flatMap((part) => {
      const { type, text: words, verbatim } = (part ?? {}) as { type?: unknown; text?: unknown; verbatim?: unknown };
      const isRead = type === "mrkdwn" && !(which && verbatim === true);
      return isRead && typeof words === "string" ? [words] : [];
    }),
  );
