import type { Part } from "@a2a-js/sdk";
import { type FileRef, safeFileName, safeMediaType, sizeOfFile } from "../../contract/file-ref.ts";
import type { ToolFile } from "../../contract/tool.ts";

const MAX_NAME_CHARS = 200;
const MAX_ADDRESS_CHARS = 2_000;

/** Names a file that is not delivered itself: with its type, and its address or size. */
export const textOfFile = ({ content, filename, mediaType }: Part): string => {
  if (content?.$case === "raw") {
    return nameLine(oneLine(safeFileName(filename)), safeMediaType(mediaType), sizeOfFile(content.value.byteLength));
  }
  return nameLine(oneLine(filename) || "unnamed", oneLine(mediaType), addressOf(content));
};

const nameLine = (...details: readonly string[]): string =>
  `[file: ${details.filter((detail) => detail !== "").join(", ")}]`;

const addressOf = (content: Part["content"]): string =>
  content?.$case === "url" && isWebAddress(content.value) ? content.value : "";

/** A name of the remote agent must not look like mark-up or further lines. */
const oneLine = (text: string): string =>
  text
    .replace(/[\p{C}\s[\]]+/gu, " ")
    .trim()
    .slice(0, MAX_NAME_CHARS);

const isWebAddress = (address: string): boolean =>
  /^https?:\/\/[^\s[\]<>]+$/i.test(address) && address.length <= MAX_ADDRESS_CHARS;

/** A remote agent could send any number. */
const MAX_FILES = 20;

/** The files whose contents are in the parts. An address stays text: the remote agent must not choose what we fetch. */
export const filesOf = (parts: readonly Part[]): { readonly files?: readonly ToolFile[] } => {
  const files = parts.flatMap(({ content, filename, mediaType }) =>
    content?.$case === "raw" && content.value.byteLength > 0
      ? [{ name: safeFileName(filename), mediaType: safeMediaType(mediaType), bytes: content.value }]
      : [],
  );
  return files.length === 0 ? {} : { files: files.slice(0, MAX_FILES) };
};

/** The text without the lines that name files which people get themselves. */
export const withoutFileNames = (text: string, files: readonly FileRef[]): string => {
  const lines = new Set(
    files.map(({ name, mediaType, bytes }) => nameLine(oneLine(name), mediaType, sizeOfFile(bytes))),
  );
  return text
    .split("\n")
    .filter((line) => !lines.has(line))
    .join("\n")
    .trim();
};
