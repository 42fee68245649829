import { type FileProblem, fileProblem } from "../../contract/texts/file-problem.ts";
import type { ReceivedFile } from "./received-file.ts";

const MAX_NAME_CHARS = 100;

/** The name in one line, without characters that a channel reads as mark-up or as a mention. */
export const shownName = (name: string): string => {
  const plain = name.replace(/[\p{C}\p{Z}]+/gu, " ").replace(/[[\]<>*`~|@#\\]/g, "");
  return [...plain.trim()].slice(0, MAX_NAME_CHARS).join("") || "file";
};

/** "820 B", "12 kB", "1.4 MB". */
export const sizeText = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${Math.round(bytes / 100_000) / 10} MB`;
};

type Named = Pick<ReceivedFile, "name" | "label" | "mediaType">;

export const cannotReadKind = ({ name, label, mediaType }: Named): FileProblem =>
  mediaType === "application/octet-stream" ? fileProblem("unknownKind", name) : fileProblem("otherKind", name, label);

/** For the model: name, type, size and number of a file. */
export const fileLabel = (file: ReceivedFile, number: number | undefined): string => {
  const { name, label, bytes, pages } = file;
  const details = [label, sizeText(bytes), ...(pages === undefined ? [] : [`${pages} pages`])].join(", ");
  return `[attached${number === undefined ? "" : ` file ${number}`}: ${name} (${details})]`;
};
