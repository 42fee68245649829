/** How we call things among ourselves: ids, memory keys, tools and their parameters. */
const INTERNAL = [
  "call-[0-9a-f]{12}",
  "subtask-[0-9a-f]{8}",
  // Not within a longer path or an address, which are the answer's own.
  "(?<![\\w./-])(?:focus|notifications)/[\\w./:-]+",
  "send_message_to_agent",
  "(?:get_from|save_to|delete_from|list)_working_memory",
  "nothing_to_say",
  "task_delegate",
  "msg_type",
  "a2a_\\w+",
].join("|");

/**
 * With the quotes, brackets and the noun that stand around it. A match begins only where a run of blanks or brackets
 * does: trying each of a long run would be quadratic.
 */
const NAMED = new RegExp(
  `(?:(?<![ \\t])[ \\t]+|(?<![ \\t(["'\`“]))(?:\\b(?:the )?(?:task|call|note|tool|id|focus entry|focus item)s?:? )?[(\\["'\`“]*(?:\\b|(?<=\`))(?:${INTERNAL})\\b[)\\]"'\`”]*`,
  "gi",
);

/** What stands between code fences is the answer's own. */
const FENCED = /(^```[\s\S]*?^```)/m;

/**
 * Takes our internal names out of words about another agent's answer (A6). A line that says nothing without them goes
 * as a whole.
 */
export const redactInternalIds = (text: string): string =>
  text
    .split(FENCED)
    .map((part) => (part.startsWith("```") ? part : cleaned(part)))
    .join("")
    .trim();

const cleaned = (part: string): string =>
  part
    .split("\n")
    .flatMap((line) => {
      const rest = line.replace(NAMED, "");
      if (rest === line) return [line];
      return (rest.match(/\p{L}+/gu)?.length ?? 0) < FEWEST_WORDS ? [] : [tidied(rest)];
    })
    .join("\n");

/** Fewer are what is left of "call-… done" or "Cleared focus/…". */
const FEWEST_WORDS = 3;

const tidied = (line: string): string => line.replace(/(?<! ) +([.,;:!?])/g, "$1").replace(/(\S) {2,}/g, "$1 ");
