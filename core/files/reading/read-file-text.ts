import { AppError, messageOf } from "../../contract/app-error.ts";
import { runInWorker } from "./bounded-worker.ts";
import { decodeText, type FileType, sniff } from "./sniff.ts";

export interface ReadJob {
  readonly kind: "pdf" | "zip";
  readonly bytes: Uint8Array;
  readonly maxChars: number;
  /** A reader that can stop early returns what it has read by then. */
  readonly timeLimitMs: number;
}

interface ReadText {
  readonly text: string;
  /** The document has more text. */
  readonly isCut: boolean;
  readonly mediaType?: string;
  readonly label?: string;
  readonly pages?: number;
  readonly pagesRead?: number;
}

export type ReadAnswer = ReadText | { readonly failed: string } | { readonly notDocument: true };

/** The content of a file, as far as it can be given to a model. */
export type FileContent = Pick<FileType, "mediaType" | "label"> &
  ({ readonly kind: "image" } | ({ readonly kind: "text" } & ReadText) | { readonly kind: "unreadable"; why?: string });

/** About 500 pages; more is not stored. */
const MAX_TEXT_CHARS = 1_500_000;
const STOP_READING_MS = 8_000;
const MAX_WORKER_MS = 20_000;

/** Parsers that run at once in this process: others wait, so that a crowd of documents does not take all cores. */
const MAX_WORKERS = 2;

/** Never rejects for a bad file: the content says why it cannot be read, in words that follow "the file". */
export const readContent = async (bytes: Uint8Array, stopReadingMs = STOP_READING_MS): Promise<FileContent> => {
  const { kind, mediaType, label } = sniff(bytes);
  const type = { mediaType, label };
  if (bytes.length === 0) return { kind: "unreadable", mediaType, label, why: "is empty" };
  if (kind === "image") return { kind, ...type };
  if (kind === "unreadable") return { kind, ...type };
  if (kind === "text") return plainText(decodeText(bytes) ?? "", type);
  try {
    const answer = await inTurn(() =>
      runInWorker<ReadAnswer>(
        WORKER_FILE,
        { kind, bytes, maxChars: MAX_TEXT_CHARS, timeLimitMs: stopReadingMs },
        { timeLimitMs: MAX_WORKER_MS },
      ),
    );
    if ("notDocument" in answer) return { kind: "unreadable", ...type };
    if ("failed" in answer) return { kind: "unreadable", ...type, why: answer.failed };
    return { kind: "text", ...type, ...answer };
  } catch (error) {
    return { kind: "unreadable", ...type, why: whyOf(error) };
  }
};

const plainText = (text: string, type: Pick<FileType, "mediaType" | "label">): FileContent => {
  if (text.trim() === "") return { kind: "unreadable", ...type, why: "is empty" };
  return { kind: "text", ...type, text: text.slice(0, MAX_TEXT_CHARS), isCut: text.length > MAX_TEXT_CHARS };
};

const whyOf = (error: unknown): string =>
  error instanceof AppError ? messageOf(error).replace(/^the document /, "") : "is damaged or incomplete";

let running = 0;
const waiting: (() => void)[] = [];

const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
  if (running >= MAX_WORKERS) await new Promise<void>((start) => waiting.push(start));
  else running++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
};

/** The build puts the worker beside the bundle. Node 20 runs no TypeScript, so the sources use the built worker too. */
const WORKER_FILE = new URL(
  import.meta.url.endsWith(".ts") ? "../../../dist/read-file-worker.js" : "./read-file-worker.js",
  import.meta.url,
);
