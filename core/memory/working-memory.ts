import { z } from "zod";
import { AppError } from "../contract/app-error.ts";
import type { Clock } from "../contract/ports/clock.ts";
import { collection, keyOf, type Store } from "../contract/ports/store.ts";
import { update } from "../contract/ports/update.ts";
import { cutToBytes } from "../lib/index.ts";

const values = collection("working-memory", z.looseObject({ value: z.string() }));

/** All notes of a session in one record, so that listing and counting take one read. */
const MemoryIndex = z.looseObject({
  notes: z.array(z.looseObject({ key: z.string(), bytes: z.number().int(), expiresAt: z.number() })),
});
type MemoryIndex = z.infer<typeof MemoryIndex>;

const indexes = collection("working-memory-index", MemoryIndex);

const memoryKey = (sessionId: string, key: string) => keyOf(values, sessionId, key);
export const memoryIndexKey = (sessionId: string) => keyOf(indexes, sessionId);

export const MAX_KEY_CHARS = 200;
export const MAX_NOTE_BYTES = 64_000;
const MAX_NOTES = 500;

type Note = MemoryIndex["notes"][number];

/** Notes of one session, each with an expiry (I4). The model reads the error texts of the limits. */
export class WorkingMemory {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #sessionId: string;

  constructor(store: Store, clock: Clock, sessionId: string) {
    this.#store = store;
    this.#clock = clock;
    this.#sessionId = sessionId;
  }

  async save(key: string, value: string, ttlMs: number): Promise<Note> {
    const bytes = Buffer.byteLength(value);
    if (bytes > MAX_NOTE_BYTES) {
      throw new AppError("too-large", `The value has ${bytes} bytes; the maximum is ${MAX_NOTE_BYTES}. Save less.`);
    }
    const note: Note = { key, bytes, expiresAt: this.#clock.now() + ttlMs };
    // Written before the note, so that every stored note is listed and counted.
    await this.#change((notes) => {
      const others = notes.filter((other) => other.key !== key);
      if (others.length < MAX_NOTES) return [...others, note];
      throw new AppError("too-large", `There are ${MAX_NOTES} notes already. Delete some that are no longer needed.`);
    });
    await this.#store.put(memoryKey(this.#sessionId, key), { value }, { ttlMs });
    return note;
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.#store.get(memoryKey(this.#sessionId, key)))?.value.value;
  }

  async list(): Promise<Note[]> {
    const stored = await this.#store.get(memoryIndexKey(this.#sessionId));
    return this.#unexpired(stored?.value.notes ?? []);
  }

  /** False: there was no such note. */
  async delete(key: string): Promise<boolean> {
    const known = (await this.list()).some((note) => note.key === key);
    await this.#store.delete(memoryKey(this.#sessionId, key));
    if (known) await this.#change((notes) => notes.filter((note) => note.key !== key));
    return known;
  }

  /** Deletes all notes, and the index last: after a crash, the rest is still found. */
  async deleteAll(): Promise<void> {
    const stored = await this.#store.get(memoryIndexKey(this.#sessionId));
    for (const { key } of stored?.value.notes ?? []) await this.#store.delete(memoryKey(this.#sessionId, key));
    await this.#store.delete(memoryIndexKey(this.#sessionId));
  }

  /** Tool calls of one response run concurrently, so the index changes by compare-and-set. */
  async #change(change: (notes: Note[]) => Note[]): Promise<void> {
    const changeUnexpired = (stored: MemoryIndex | undefined) => ({
      notes: change(this.#unexpired(stored?.notes ?? [])),
    });
    const ttlMs = ({ notes }: MemoryIndex) =>
      Math.max(1, ...notes.map(({ expiresAt }) => expiresAt - this.#clock.now()));
    await update(this.#store, memoryIndexKey(this.#sessionId), changeUnexpired, { ttlMs });
  }

  #unexpired(notes: Note[]): Note[] {
    return notes.filter(({ expiresAt }) => expiresAt > this.#clock.now());
  }
}

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
