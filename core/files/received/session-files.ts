import { z } from "zod";
import { RETENTION_MS } from "../../contract/ports/bus.ts";
import { collection, keyOf, type Store } from "../../contract/ports/store.ts";
import { DELETE, update } from "../../contract/ports/update.ts";
import { deleteReceived, ReceivedFile as Received, type ReceivedFile } from "./received-file.ts";

/** A file of the session, under the number by which its agent names it. */
const NumberedFile = Received.extend({ number: z.int().positive() });
export type NumberedFile = z.infer<typeof NumberedFile>;

const SessionFiles = z.looseObject({ files: z.array(NumberedFile), lastNumber: z.int().nonnegative() });

/** The only way to the files that people have sent: a session has those of its own messages. */
const sessionFiles = collection("session-files", SessionFiles, { ttlMs: RETENTION_MS });

const sessionFilesKey = (sessionId: string) => keyOf(sessionFiles, sessionId);

/** The oldest files beyond these are deleted. */
const MAX_FILES = 100;
const MAX_BYTES = 200_000_000;

export const filesOfSession = async (store: Store, sessionId: string): Promise<readonly NumberedFile[]> =>
  (await store.get(sessionFilesKey(sessionId)))?.value.files ?? [];

/** Gives the files of a message to its session. A repeat finds the same numbers. */
export const addToSession = async (
  store: Store,
  sessionId: string,
  added: readonly ReceivedFile[],
  ttlMs: number,
): Promise<readonly NumberedFile[]> => {
  if (added.length === 0) return [];
  const { before, after } = await update(
    store,
    sessionFilesKey(sessionId),
    (known) => withFiles(known ?? { files: [], lastNumber: 0 }, added),
    { ttlMs },
  );
  const files = after?.files ?? [];
  const dropped = before?.files.filter(({ id }) => !files.some((file) => file.id === id)) ?? [];
  for (const file of dropped) await deleteReceived(store, file);
  return added.flatMap(({ id }) => files.find((file) => file.id === id) ?? []);
};

type Files = z.infer<typeof SessionFiles>;

const withFiles = (known: Files, added: readonly ReceivedFile[]): Files => {
  const fresh = added.filter(({ id }) => !known.files.some((file) => file.id === id));
  if (fresh.length === 0) return known;
  const { lastNumber } = known;
  const files = [...known.files, ...fresh.map((file, index) => ({ ...file, number: lastNumber + index + 1 }))];
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  while (files.length > 1 && (files.length > MAX_FILES || bytes > MAX_BYTES)) bytes -= files.shift()?.bytes ?? 0;
  return { ...known, files, lastNumber: lastNumber + fresh.length };
};

/** Deletes all files of a session that has ended. Idempotent. */
export const deleteFilesOf = async (store: Store, sessionId: string): Promise<void> => {
  for (const file of await filesOfSession(store, sessionId)) await deleteReceived(store, file);
  await update(store, sessionFilesKey(sessionId), () => DELETE);
};
