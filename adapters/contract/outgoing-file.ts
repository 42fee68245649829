import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { FileRef } from "../../core/contract/file-ref.ts";
import type { Delivery } from "./channel-adapter.ts";
import { DeliveryFailed } from "./delivery-failed.ts";

/** A file that the agent sends with a reply. */
export interface OutgoingFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** The stored file, for a channel that shows it later (`AdapterContext.openFile`); absent in tests. */
  readonly ref?: FileRef;
  /** The content; a retry reads it again. Rejects with an AppError: "not-found" if the file no longer exists. */
  read(): Promise<Uint8Array>;
}

/** The files that a channel can send with one message. */
export interface FileLimits {
  readonly maxBytes: number;
  readonly maxCount: number;
  /** Absent: files of every type. */
  accepts?(mediaType: string): boolean;
}

export interface ReadFile extends Pick<OutgoingFile, "name" | "mediaType"> {
  readonly content: Uint8Array;
}

/** Reads the files of a delivery before the adapter sends anything, so that a failure is never "unknown". */
export const readFiles = async ({ files = [] }: Delivery, limits: FileLimits): Promise<ReadFile[]> => {
  if (files.length > limits.maxCount) {
    throw new DeliveryFailed("rejected", `at most ${limits.maxCount} files fit into one message here`);
  }
  return Promise.all(files.map((file) => readWithin(file, limits)));
};

const readWithin = async (file: OutgoingFile, limits: FileLimits): Promise<ReadFile> => {
  const { name, mediaType } = file;
  if (limits.accepts?.(mediaType) === false) {
    throw new DeliveryFailed("rejected", `"${name}" cannot be sent here: its type is ${mediaType}`);
  }
  const content = await file.read().catch((cause: unknown) => {
    const isGone = cause instanceof AppError && cause.code === "not-found";
    throw new DeliveryFailed(isGone ? "rejected" : "unavailable", messageOf(cause), { cause });
  });
  // The announced size may be wrong, so the content counts.
  const { maxBytes } = limits;
  if (content.length > maxBytes) {
    throw new DeliveryFailed(
      "rejected",
      `"${name}" has ${content.length} bytes, more than the ${maxBytes} allowed here`,
    );
  }
  return { name, mediaType, content };
};
