import { z } from "zod";
import type { ToolFile, ToolOutput } from "../../contract/tool.ts";
import { cutToBytes } from "../../lib/index.ts";

/** Files of one result; more would not fit a model's context. */
const MAX_FILES = 8;
const MAX_FILE_BYTES = 8_000_000;

const Resource = z.looseObject({
  uri: z.string().catch(""),
  mimeType: z.string().optional().catch(undefined),
  text: z.string().optional().catch(undefined),
  blob: z.string().optional().catch(undefined),
});

const Block = z.looseObject({
  type: z.string().catch("unknown"),
  text: z.string().optional().catch(undefined),
  data: z.string().optional().catch(undefined),
  mimeType: z.string().optional().catch(undefined),
  uri: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  resource: Resource.optional().catch(undefined),
});
type Block = z.infer<typeof Block>;

/** Lenient: a block that is not understood becomes a note. */
export const CallResult = z.looseObject({
  content: z.array(Block).catch([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().catch(false),
});
export type CallResult = z.infer<typeof CallResult>;

/** The contents of `resources/read`. */
export const ResourceContents = z.looseObject({ contents: z.array(Resource).catch([]) });

interface Read {
  readonly text: string;
  readonly file?: ToolFile;
}

export interface ReadOptions {
  readonly maxBytes: number;
  /** Hides the credentials of the server in its texts. */
  hide(text: string): string;
}

/** The output of a call, bounded: what is left out is named. */
export const readResult = ({ content, structuredContent }: CallResult, options: ReadOptions): ToolOutput => {
  const blocks = content.map(readBlock);
  const isNew = structuredContent !== undefined && !isRepeated(structuredContent, blocks);
  return outputOf([...blocks, ...(isNew ? [{ text: JSON.stringify(structuredContent) }] : [])], options);
};

/** More values are not compared; a result that has them all is hardly a summary. */
const MAX_COMPARED = 200;

/** Servers should repeat structured content as text. Some add a sentence only, so its values are looked for. */
const isRepeated = (structured: unknown, blocks: readonly Read[]): boolean => {
  const text = blocks.map((block) => block.text).join("\n");
  return valuesOf(structured)
    .slice(0, MAX_COMPARED)
    .every((value) => text.includes(value) || text.includes(JSON.stringify(value).slice(1, -1)) || isJson(text));
};

const valuesOf = (value: unknown): string[] =>
  typeof value === "object" && value !== null ? Object.values(value).flatMap(valuesOf) : [String(value)];

const isJson = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
};

export const readContents = (
  contents: z.infer<typeof ResourceContents>["contents"],
  options: ReadOptions,
): ToolOutput => outputOf(contents.map(readResource), options);

const outputOf = (parts: readonly Read[], { maxBytes, hide }: ReadOptions): ToolOutput => {
  const files = parts.flatMap(({ file }) => file ?? []);
  const left = files.length > MAX_FILES ? [`[${files.length - MAX_FILES} more files are left out]`] : [];
  const text = [...parts.map((part) => part.text), ...left].filter((line) => line !== "").join("\n");
  return {
    text: text === "" && files.length === 0 ? "(the tool returned nothing)" : cutToBytes(hide(text), maxBytes),
    ...(files.length > 0 && { files: files.slice(0, MAX_FILES) }),
  };
};

const readBlock = (block: Block, index: number): Read => {
  const { type, text, data, mimeType, uri, name, resource } = block;
  if (type === "text") return { text: text ?? "" };
  if ((type === "image" || type === "audio") && data !== undefined) {
    return readFile(`${type}-${index + 1}`, mimeType, data);
  }
  if (type === "resource_link")
    return { text: `[link: ${name ?? ""} ${uri ?? ""}${mimeType ? ` (${mimeType})` : ""}]` };
  if (type === "resource" && resource !== undefined) return readResource(resource);
  return { text: `[content of an unknown type: ${type.slice(0, 40)}]` };
};

const readResource = ({ uri, mimeType, text, blob }: z.infer<typeof Resource>): Read => {
  if (text !== undefined) return { text: uri === "" ? text : `[${uri}]\n${text}` };
  return blob === undefined ? { text: `[${uri}: no content]` } : readFile(fileName(uri), mimeType, blob);
};

const readFile = (name: string, mediaType = "application/octet-stream", data: string): Read => {
  const bytes = Buffer.from(data, "base64");
  if (bytes.length > MAX_FILE_BYTES) return { text: `[${name} has ${bytes.length} bytes and is left out]` };
  const extension = EXTENSIONS[mediaType];
  const isNamed = extension === undefined || name.includes(".");
  return { text: "", file: { name: isNamed ? name : `${name}.${extension}`, mediaType, bytes } };
};

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/ogg": "ogg",
  "application/pdf": "pdf",
};

const MAX_NAME_CHARS = 80;

const fileName = (uri: string): string =>
  uri
    .split(/[/?#]/)
    .findLast((part) => part !== "")
    ?.slice(-MAX_NAME_CHARS) ?? "file";
