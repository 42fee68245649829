import type { FileFetch } from "../../contract/messages/file-fetch.ts";
import type { Store } from "../../contract/ports/store.ts";
import type { Checkpoint } from "../../contract/ports/telemetry.ts";
import { update } from "../../contract/ports/update.ts";
import { type FileProblem, fileProblem, problemFields, problemText } from "../../contract/texts/file-problem.ts";
import { english } from "../../contract/texts/texts.ts";
import { type FileContent, readContent } from "../reading/index.ts";
import { cannotReadKind, shownName } from "./file-texts.ts";
import {
  deleteContent,
  findReceived,
  type ReceivedFile,
  readBytes,
  receivedFileKey,
  storeBytes,
  storeText,
} from "./received-file.ts";

interface ReceiveDeps {
  readonly store: Store;
  readonly checkpoint: Checkpoint;
  /** How long the file is kept. */
  readonly ttlMs: number;
}

/** Why a file cannot be fetched, for its sender. The message is the English sentence. */
export class NotFetched extends Error {
  readonly why: FileProblem;

  constructor(why: FileProblem, message = problemText(why, english)) {
    super(message);
    this.why = why;
  }
}

/**
 * Fetches, stores and reads a file. Each step is stored before the next one, so a repeat after a crash goes on where the
 * crash was. Rejects with the error of `fetch`, unless it is NotFetched.
 */
export const receiveFile = async (
  deps: ReceiveDeps,
  { id, attachment }: Pick<FileFetch, "id" | "attachment">,
  fetch: () => Promise<Uint8Array>,
): Promise<ReceivedFile> => {
  const known = await findReceived(deps.store, id);
  if (known !== undefined && known.state !== "fetched") return known;
  const name = shownName(attachment.name);
  let bytes = known && (await readBytes(deps.store, known));
  if (bytes === undefined) {
    try {
      bytes = Buffer.from(await fetch());
    } catch (error) {
      if (!(error instanceof NotFetched)) throw error;
      return keep(deps, { ...unknownFile(id, name), ...problemFields(error.why, error.message) });
    }
    await storeBytes(deps.store, id, bytes, deps.ttlMs);
    await deps.checkpoint("file.stored");
    const fetched = { ...unknownFile(id, name), bytes: bytes.length, state: "fetched" as const };
    const kept = await keep(deps, fetched);
    // The turn has not waited for it.
    if (kept.state !== "fetched") return kept;
    await deps.checkpoint("file.fetched");
  }
  return addContent(deps, { id, name, bytes: bytes.length }, await readContent(bytes));
};

const unknownFile = (id: string, name: string): ReceivedFile => ({
  id,
  name,
  mediaType: "application/octet-stream",
  label: "file",
  bytes: 0,
  state: "failed",
});

const addContent = async (
  deps: ReceiveDeps,
  file: Pick<ReceivedFile, "id" | "name" | "bytes">,
  content: FileContent,
): Promise<ReceivedFile> => {
  const { mediaType, label } = content;
  const typed = { ...file, mediaType, label };
  if (content.kind === "unreadable") {
    const { why } = content;
    const problem = why === undefined ? cannotReadKind(typed) : fileProblem("because", typed.name, why);
    const failed = await keep(deps, { ...typed, state: "failed", ...problemFields(problem) });
    await deleteContent(deps.store, file);
    return failed;
  }
  if (content.kind === "image") return keep(deps, { ...typed, state: "ready", kind: "image" });
  const { text, isCut, pages, pagesRead } = content;
  await storeText(deps.store, file.id, text, deps.ttlMs);
  await deps.checkpoint("file.read");
  const extent = { chars: text.length, isCut, ...(pages !== undefined && { pages, pagesRead }) };
  return keep(deps, { ...typed, state: "ready", kind: "text", ...extent });
};

/** The first end counts: a turn that stopped waiting has told its person so, and the stored bytes are not needed. */
const keep = async ({ store, ttlMs }: ReceiveDeps, file: ReceivedFile): Promise<ReceivedFile> => {
  const { after } = await update(
    store,
    receivedFileKey(file.id),
    (known) => (known === undefined || known.state === "fetched" ? file : known),
    { ttlMs },
  );
  if (after?.state === "failed" && file.state !== "failed") await deleteContent(store, file);
  return after ?? file;
};
