import type { Clock } from "../contract/ports/clock.ts";
import type { Store } from "../contract/ports/store.ts";
import { cutToBytes } from "../lib/index.ts";
import { MAX_NOTE_BYTES, WorkingMemory } from "./working-memory.ts";

const PREFIX = "notifications/";
const INDEX = `${PREFIX}index`;
const NOTIFICATION_TTL_MS = 7 * 24 * 3_600_000;

export interface Notification {
  /** Begins with "notifications/". */
  readonly key: string;
  /** One line. */
  readonly summary: string;
  readonly text: string;
}

/** Saves a background event in the session's working memory and adds it to the index there. */
export const addNotification = async (
  { store, clock }: { store: Store; clock: Clock },
  sessionId: string,
  { key, summary, text }: Notification,
): Promise<void> => {
  const memory = new WorkingMemory(store, clock, sessionId);
  await memory.save(key, cutToBytes(`${summary}\n\n${text}`, MAX_NOTE_BYTES), NOTIFICATION_TTL_MS);
  await rebuildIndex(memory);
};

/** Removes read notifications and updates the index. */
export const removeNotifications = async (
  { store, clock }: { store: Store; clock: Clock },
  sessionId: string,
  keys: readonly string[],
): Promise<void> => {
  const memory = new WorkingMemory(store, clock, sessionId);
  for (const key of keys) await memory.delete(key);
  await rebuildIndex(memory);
};

/** Rebuilds the index from the list of notes, whose compare-and-set keeps concurrent additions. */
const rebuildIndex = async (memory: WorkingMemory): Promise<void> => {
  const keys = (await memory.list()).map((note) => note.key).filter((note) => note.startsWith(PREFIX));
  const listed = keys.filter((note) => note !== INDEX).map((note) => `- ${note}`);
  if (listed.length === 0) await memory.delete(INDEX);
  else await memory.save(INDEX, listed.join("\n"), NOTIFICATION_TTL_MS);
};
