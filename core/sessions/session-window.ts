import { z } from "zod";
import { BoundedCache } from "../contract/bounded-cache.ts";
import { FileRef, namesOfFiles } from "../contract/file-ref.ts";
import { ReplyAction } from "../contract/messages/agent-reply.ts";
import { ReplyOrigin } from "../contract/messages/work-context.ts";
import { collection, keyOf, type Store } from "../contract/ports/store.ts";
import { ChatMessage } from "../model/index.ts";

/** A turn whose message revises an earlier one replaces the turns from `index` up to itself (C5). */
export const Revision = z.looseObject({ turnId: z.string(), index: z.number().int().nonnegative() });
export type Revision = z.infer<typeof Revision>;

/** A turn that has ended. It is also the journal of the turn's last model response. */
export const TurnEntry = z.looseObject({
  kind: z.literal("turn"),
  turnId: z.string(),
  at: z.iso.datetime(),
  /** The prompt, in the form that the model reads. */
  text: z.string(),
  /** Pictures of the prompt; they expire before the entry does. */
  images: z.array(FileRef).optional(),
  /** Tool calls and their results before the answer. */
  messages: z.array(ChatMessage),
  /** The answer; empty for silence. */
  finalText: z.string(),
  outcome: z.enum(["answered", "nothing", "failed", "cancelled"]),
  /** The label of the model that wrote the answer, if the agent has several. */
  model: z.string().optional(),
  /** The turn delegated work: its batch must be sealed. */
  delegated: z.boolean().optional(),
  /** Not delivered: the answer of the batch follows. */
  suppressed: z.boolean().optional(),
  /** The model failed, so people got the raw results. */
  degraded: z.boolean().optional(),
  /** Buttons of the answer. */
  actions: z.array(ReplyAction).optional(),
  /** The prompt or the results hold text of pages, tools, files or other agents (T1). Absent: only if it has results. */
  hasForeignText: z.boolean().optional(),
  /** Files that people get with the answer. */
  files: z.array(FileRef).optional(),
  /** The replaced turns stay stored, but the model no longer sees them. */
  revises: Revision.optional(),
});
export type TurnEntry = z.infer<typeof TurnEntry>;

/** A proactive message that the conversation has shown (O15). */
export const ReplyEntry = z.looseObject({
  kind: z.literal("said"),
  replyId: z.string(),
  at: z.iso.datetime(),
  markdown: z.string(),
  files: z.array(FileRef).optional(),
  origin: ReplyOrigin.nullable(),
});
export type ReplyEntry = z.infer<typeof ReplyEntry>;

/** Whether the model may have read text in this entry that no person wrote. 0.1.0 did not record it for results. */
export const hasForeignText = (entry: HistoryEntry): boolean =>
  entry.kind === "said" || (entry.hasForeignText ?? entry.messages.length > 0);

export const HistoryEntry = z.discriminatedUnion("kind", [TurnEntry, ReplyEntry]);
export type HistoryEntry = z.infer<typeof HistoryEntry>;

const history = collection("history", HistoryEntry);

/** Entries are numbered from 0 without a gap and never change. */
export const historyKey = (sessionId: string, index: number) =>
  keyOf(history, sessionId, String(index).padStart(8, "0"));

/** Below the store's limit, with room for fields that a later version adds. */
const MAX_ENTRY_BYTES = 400_000;
const SHORTENED_OUTPUT_CHARS = 1_000;
const SHORTENED_TEXT_CHARS = 20_000;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Shortens the entry as little as possible to fit the store. The final text never changes. */
export const fitEntry = (entry: TurnEntry): TurnEntry => {
  if (surelyFits(entry)) return entry;
  const shorten: readonly ((entry: TurnEntry) => TurnEntry)[] = [
    (whole) => whole,
    (long) => ({ ...long, messages: long.messages.map(withShortOutputs) }),
    (long) => ({ ...long, messages: [] }),
    (long) => ({ ...long, text: cut(long.text, SHORTENED_TEXT_CHARS) }),
  ];
  let fitted = entry;
  for (const step of shorten) {
    fitted = step(fitted);
    if (bytesOf(fitted) <= MAX_ENTRY_BYTES) break;
  }
  return fitted;
};

/** Cheap upper bound: JSON needs at most 6 bytes for a UTF-16 unit. */
const surelyFits = ({ text, finalText, messages }: TurnEntry): boolean =>
  messages.length === 0 && (text.length + finalText.length) * 6 < MAX_ENTRY_BYTES / 2;

const withShortOutputs = (message: ChatMessage): ChatMessage =>
  message.role === "tool"
    ? {
        ...message,
        results: message.results.map((result) => ({ ...result, output: cut(result.output, SHORTENED_OUTPUT_CHARS) })),
      }
    : message;

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max)}\n[${text.length - max} more characters were dropped]`;

/** The recent entries of a session, and a summary of the earlier ones. */
export interface SessionWindow {
  readonly sessionId: string;
  readonly summary: string;
  /** The summary covers entries with text that no person wrote. */
  readonly summaryHasForeignText?: boolean | undefined;
  /** The index of the first entry in here. */
  readonly from: number;
  readonly entries: readonly HistoryEntry[];
  /** The entries in the form that the model reads. */
  readonly shown: readonly ChatMessage[];
  /** The approximate size in the model's context. */
  readonly chars: number;
}

/** Whether a turn in the window has delegated work. */
export const hasDelegated = ({ entries }: SessionWindow): boolean =>
  entries.some((entry) => entry.kind === "turn" && entry.delegated === true);

/** The index that the session's next entry will have. */
export const nextIndex = ({ from, entries }: SessionWindow): number => from + entries.length;

export const windowOf = (
  sessionId: string,
  summary: string,
  from: number,
  entries: readonly HistoryEntry[],
  summaryHasForeignText?: boolean,
): SessionWindow => ({
  sessionId,
  summary,
  ...(summaryHasForeignText && { summaryHasForeignText }),
  from,
  entries,
  shown: showEntries(liveEntries(entries, from)),
  chars: entries.reduce((sum, entry) => sum + charsOf(entry), summary.length),
});

/** Appends newer entries. The cost depends on them only, so long sessions do not get slower. */
export const extended = (window: SessionWindow, newer: readonly HistoryEntry[]): SessionWindow => {
  const entries = [...window.entries, ...newer];
  const isRevised = newer.some((entry) => entry.kind === "turn" && entry.revises !== undefined);
  return {
    ...window,
    entries,
    shown: isRevised ? showEntries(liveEntries(entries, window.from)) : [...window.shown, ...showEntries(newer)],
    chars: newer.reduce((sum, entry) => sum + charsOf(entry), window.chars),
  };
};

/** The entries that count: without the turns that a later one replaces. Proactive messages stay. */
export const liveEntries = (entries: readonly HistoryEntry[], from: number): readonly HistoryEntry[] => {
  const replaced = new Set<HistoryEntry>();
  for (const [at, entry] of entries.entries()) {
    if (entry.kind !== "turn" || entry.revises === undefined) continue;
    for (const earlier of entries.slice(Math.max(0, entry.revises.index - from), at)) {
      if (earlier.kind === "turn") replaced.add(earlier);
    }
  }
  return replaced.size === 0 ? entries : entries.filter((entry) => !replaced.has(entry));
};

/** The window as a turn sees it that replaces the turns from an index on. */
export const withoutRevised = (window: SessionWindow, revision: Revision | undefined): SessionWindow => {
  if (revision === undefined) return window;
  const { from, entries } = window;
  const kept = entries.filter((entry, at) => entry.kind !== "turn" || from + at < revision.index);
  return { ...window, shown: showEntries(liveEntries(kept, from)) };
};

export const charsOf = (entry: HistoryEntry): number => {
  if (entry.kind === "said") return entry.markdown.length;
  const toolRounds = entry.messages.length === 0 ? 0 : JSON.stringify(entry.messages).length;
  return entry.text.length + entry.finalText.length + toolRounds;
};

export interface WindowBounds {
  readonly maxEntries: number;
  readonly maxChars: number;
}

/** Whether the session must be compacted. */
export const exceeds = ({ entries, chars }: SessionWindow, { maxEntries, maxChars }: WindowBounds): boolean =>
  entries.length > maxEntries || chars > maxChars;

/** Each prompt is followed by its tool calls and its answer. */
const showEntries = (entries: readonly HistoryEntry[]): ChatMessage[] => {
  const shown: ChatMessage[] = [];
  for (const entry of entries) showEntry(entry, shown);
  return shown;
};

const showEntry = (entry: HistoryEntry, shown: ChatMessage[]): void => {
  if (entry.kind === "said") {
    const about = entry.origin === null ? "" : ` about "${entry.origin.promptSummary}"`;
    const files = entry.files === undefined ? "" : `, with the files ${namesOfFiles(entry.files)}`;
    shown.push({ role: "assistant", text: `[shown here later${about}${files}]\n${entry.markdown}`, toolCalls: [] });
    return;
  }
  const { text, images } = entry;
  shown.push({ role: "user", text, ...(images !== undefined && { images }) }, ...entry.messages);
  if (entry.finalText !== "") shown.push({ role: "assistant", text: entry.finalText, toolCalls: [] });
};

/** Written by compaction only. The summary covers the entries below `compactedThrough`, which stay stored. */
export const SessionState = z.looseObject({
  compactedThrough: z.number().int().nonnegative(),
  summary: z.string(),
  /** The summarised entries hold text that no person wrote. Absent in summaries of 0.1.0, which may have it too. */
  hasForeignText: z.boolean().optional(),
});
export type SessionState = z.infer<typeof SessionState>;

const states = collection("session-state", SessionState);

export const sessionStateKey = (sessionId: string) => keyOf(states, sessionId);

/** Recent windows by session, bounded by their characters. */
export type WindowCache = BoundedCache<string, SessionWindow>;

const MAX_CHARS = 16_000_000;
const newWindowCache = (): WindowCache => new BoundedCache(MAX_CHARS, weightOf);

const byStore = new WeakMap<Store, WindowCache>();

/** All users of an exclusive store share one cache, because every append updates it and no other process writes. */
export const windowCacheOf = (store: Store): WindowCache => {
  if (!store.exclusive) return newWindowCache();
  const known = byStore.get(store);
  if (known) return known;
  const made = newWindowCache();
  byStore.set(store, made);
  return made;
};

/** The constant is the overhead of an empty window. */
const weightOf = ({ chars }: SessionWindow): number => chars + 500;
