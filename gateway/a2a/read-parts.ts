import type { Part } from "@a2a-js/sdk";
import { ContentTypeNotSupportedError, RequestMalformedError } from "@a2a-js/sdk/errors";

/** What a message says, in words for a model. Files are named, not fetched: their address is the caller's choice. */
export const readParts = (parts: readonly Part[]): string => {
  if (parts.length === 0) throw new RequestMalformedError("message.parts is empty: say something");
  const text = parts.map(wordsOf).join("\n\n").trim();
  if (text === "") throw new RequestMalformedError("message.parts hold no words: say something");
  return text;
};

const wordsOf = ({ content, filename, mediaType }: Part, index: number): string => {
  switch (content?.$case) {
    case "text":
      return content.value;
    case "data":
      return `\`\`\`json\n${readable(content.value ?? null)}\n\`\`\``;
    case "url":
      return `[file: ${oneLine(filename || "unnamed")} at ${oneLine(content.value)}]`;
    case "raw":
      if (!/^(text\/|application\/json\b)/i.test(mediaType)) {
        throw new ContentTypeNotSupportedError(
          `message.parts[${index}] is "${oneLine(mediaType).slice(0, 100)}"; text/* and application/json are read`,
        );
      }
      return `[attached: ${oneLine(filename || "unnamed")}]\n${content.value.toString("utf8")}`;
    default:
      throw new RequestMalformedError(`message.parts[${index}] has neither text, data, url nor raw`);
  }
};

/** Indented unless it is large: that could make it many times as large. */
const readable = (data: unknown): string => {
  const compact = JSON.stringify(data);
  return compact.length > MAX_INDENTED_CHARS ? compact : JSON.stringify(data, null, 2);
};
const MAX_INDENTED_CHARS = 4_000;

const oneLine = (text: string): string => text.replace(/[\p{C}\s]+/gu, " ").trim();
