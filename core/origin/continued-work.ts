import { z } from "zod";
import { ReplyOrigin } from "../contract/messages/work-context.ts";
import type { HistoryEntry, SessionHistory } from "../sessions/index.ts";

/** Work that a message continues by replying to its result, and the part of its history that the turn may read (O14). */
export const ContinuedWork = z.looseObject({
  replyId: z.string(),
  origin: ReplyOrigin,
  /** The visible number in a digest, if the replied-to message shows several results. */
  number: z.int().optional(),
  /** The session of the work. */
  sessionId: z.string().nullable(),
  /** The only readable turns, the first and the answering one, or "all". */
  turns: z.union([z.literal("all"), z.array(z.string())]),
});
export type ContinuedWork = z.infer<typeof ContinuedWork>;

const MAX_CHARS = 12_000;
const QUOTED_CHARS = 2_000;

/** The history of continued work, as read-only context for one turn in another conversation (O14). */
export const viewOfOrigins = async (history: SessionHistory, works: readonly ContinuedWork[]): Promise<string> => {
  const maxChars = Math.floor(MAX_CHARS / Math.max(1, works.length));
  const views = await Promise.all(works.map((work) => viewOf(history, work, maxChars)));
  return [...(works.length > 1 ? [REPLIES_TO_DIGEST] : []), ...views].join("\n\n");
};

const REPLIES_TO_ONE = "The person's message replies to a message of yours";

/** For a reply to a digest, which shows several results. */
const REPLIES_TO_DIGEST =
  "The person's message replies to a message of yours that showed several results, each with a number. Their text says " +
  "which one they mean, by its number or its subject. If that is unclear, ask them before you do anything.";

const viewOf = async (
  history: SessionHistory,
  { origin, number, sessionId, turns }: ContinuedWork,
  maxChars: number,
): Promise<string> => {
  const window = sessionId === null ? EMPTY_WINDOW : await history.window(sessionId);
  const summary = turns === "all" ? window.summary : "";
  const entries = window.entries.filter((entry) => turns === "all" || isOneOf(turns, entry));
  const lines = newest(entries.map(quote), maxChars - Math.min(summary.length, QUOTED_CHARS));
  return [
    `${number === undefined ? REPLIES_TO_ONE : `Message ${number} is`} about work that began in another conversation: ` +
      `"${origin.promptSummary}". Continue that work here. This is the history of that conversation, which you can only read:`,
    ...(summary === "" ? [] : [`Before that: ${cut(summary)}`]),
    ...(lines.length === 0 ? ["(the history is no longer stored)"] : lines),
  ].join("\n\n");
};

const EMPTY_WINDOW = { summary: "", entries: [] };

const isOneOf = (turns: readonly string[], entry: HistoryEntry): boolean =>
  entry.kind === "turn" && turns.includes(entry.turnId);

const newest = (lines: readonly string[], maxChars: number): string[] => {
  let room = maxChars;
  const newestLines: string[] = [];
  for (const line of lines.toReversed()) {
    room -= line.length;
    if (room < 0) break;
    newestLines.unshift(line);
  }
  return newestLines;
};

const quote = (entry: HistoryEntry): string =>
  entry.kind === "said"
    ? `You, later: ${cut(entry.markdown)}`
    : `Person: ${cut(entry.text)}\nYou: ${cut(entry.finalText)}`;

const cut = (text: string): string => (text.length <= QUOTED_CHARS ? text : `${text.slice(0, QUOTED_CHARS)}…`);
