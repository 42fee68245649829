import type { FileRef } from "../../contract/file-ref.ts";
import type { ChatMessage, ToolResult } from "../step.ts";

/** The formats and sizes that providers with images accept. */
const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
export const MAX_IMAGE_BYTES = 3_700_000;
/** Older images are only named in the text: each costs as much as a page of text, in every step. */
const MAX_RESULT_IMAGES = 4;
const MAX_PROMPT_IMAGES = 10;
/** Requests of providers end at about 32 MB, and base64 adds a third. */
const MAX_REQUEST_BYTES = 18_000_000;

export type ReadFile = (file: FileRef) => Promise<Uint8Array | undefined>;

export interface ShownImage {
  readonly mediaType: string;
  readonly data: string;
}

type PromptMessage = Extract<ChatMessage, { role: "user" }>;

/** The images that a request shows, by the prompt or the tool result that they belong to. */
export type ShownImages = ReadonlyMap<PromptMessage | ToolResult, readonly ShownImage[]>;

export const NO_IMAGES: ShownImages = new Map();

/** The newest images of prompts and tool results. Images that have expired are left out. */
export const imagesOf = async (messages: readonly ChatMessage[], read: ReadFile): Promise<ShownImages> => {
  const found = new Map<PromptMessage | ToolResult, ShownImage[]>();
  let bytesLeft = MAX_REQUEST_BYTES;
  for (const { owner, file } of newest(messages)) {
    if (file.bytes > bytesLeft) continue;
    const bytes = await read(file).catch(() => undefined);
    if (bytes === undefined) continue;
    bytesLeft -= bytes.length;
    const image = { mediaType: file.mediaType, data: Buffer.from(bytes).toString("base64") };
    found.set(owner, [image, ...(found.get(owner) ?? [])]);
  }
  return found;
};

interface Candidate {
  readonly owner: PromptMessage | ToolResult;
  readonly file: FileRef;
}

/** The newest first. */
const newest = (messages: readonly ChatMessage[]): Candidate[] => {
  const all = messages.flatMap((message): Candidate[] => {
    if (message.role === "user") return (message.images ?? []).map((file) => ({ owner: message, file }));
    if (message.role !== "tool") return [];
    return message.results.flatMap((result) =>
      [...(result.files ?? []), ...(result.shown ?? [])].map((file) => ({ owner: result, file })),
    );
  });
  const images = all.filter(({ file }) => isShownImage(file)).reverse();
  const ofPrompts = images.filter(({ owner }) => "role" in owner).slice(0, MAX_PROMPT_IMAGES);
  const ofResults = images.filter(({ owner }) => !("role" in owner)).slice(0, MAX_RESULT_IMAGES);
  return images.filter((image) => ofPrompts.includes(image) || ofResults.includes(image));
};

const isShownImage = ({ mediaType, bytes }: FileRef): boolean => IMAGE_TYPES.has(mediaType) && bytes <= MAX_IMAGE_BYTES;
