import { AppError } from "../../contract/app-error.ts";
import { runInWorker } from "../../files/reading/index.ts";

/** The readable part of a page or a document. */
export interface DocumentText {
  readonly title?: string | undefined;
  readonly text: string;
}

export interface DocumentJob {
  readonly kind: "html" | "pdf";
  readonly bytes: Uint8Array;
  readonly charset: string;
}

export type DocumentAnswer = DocumentText | { readonly failed: string };

const MAX_WORKER_MS = 15_000;

/**
 * Converts a response to text. HTML and PDF are parsed in a worker with limits.
 */
export const readDocument = async (
  bytes: Uint8Array,
  type: string,
  signal: AbortSignal,
  timeLimitMs = MAX_WORKER_MS,
): Promise<DocumentText> => {
  const [, charset = "utf-8"] = /charset="?([\w-]+)/i.exec(type) ?? [];
  const [mediaType = ""] = type.toLowerCase().split(";");
  const kind = kindOf(mediaType.trim(), bytes);
  if (kind === "text") return { text: decode(bytes, charset) };
  if (kind === undefined) {
    throw new AppError("bad-input", `this is ${mediaType || "of an unknown type"}, which cannot be read as text`);
  }
  return inWorker({ kind, bytes, charset }, signal, timeLimitMs);
};

const kindOf = (mediaType: string, bytes: Uint8Array): "html" | "pdf" | "text" | undefined => {
  if (Buffer.from(bytes.subarray(0, 5)).toString("latin1") === "%PDF-") return "pdf";
  if (["text/html", "application/xhtml+xml"].includes(mediaType)) return "html";
  return /^text\/|[/+](json|xml|yaml)$/.test(mediaType) ? "text" : undefined;
};

/** An unknown character set is read as UTF-8. */
export const decode = (bytes: Uint8Array, charset: string): string => {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
};

const inWorker = async (job: DocumentJob, signal: AbortSignal, timeLimitMs: number): Promise<DocumentText> => {
  const answer = await runInWorker<DocumentAnswer>(WORKER_FILE, job, { signal, timeLimitMs });
  if ("failed" in answer) throw new AppError("unavailable", `the document cannot be read: ${answer.failed}`);
  return answer;
};

/** The build puts the worker beside the bundle. Node 20 runs no TypeScript, so the sources use the built worker too. */
const WORKER_FILE = new URL(
  import.meta.url.endsWith(".ts") ? "../../../dist/read-document-worker.js" : "./read-document-worker.js",
  import.meta.url,
);
