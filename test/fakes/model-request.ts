import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";

const Part = z.looseObject({ type: z.string(), text: z.string().optional() });
const Content = z.union([z.string(), z.array(Part)]).nullish();

/** The fields of both protocols that scripts use; other fields are kept unchanged. */
const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(z.looseObject({ role: z.string(), content: Content })),
  tools: z
    .array(z.looseObject({ name: z.string().optional(), function: z.looseObject({ name: z.string() }).optional() }))
    .default([]),
});
type Body = z.infer<typeof Body>;

/** A request that the scripted server received. */
export interface ModelRequest {
  /** Counted from 1. */
  readonly number: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
  /** The last message of the user. */
  readonly lastUserText: string;
  /** The block about time, place and speaker at the end of that message. */
  readonly context: string;
  /** Outputs of the tools called since then, in order. */
  readonly toolOutputs: readonly string[];
  readonly toolNames: readonly string[];
  /** Resolves when the response is complete or the client has disconnected. */
  readonly closed: Promise<"answered" | "client-left">;
}

export const readModelRequest = (
  text: string,
): Pick<ModelRequest, "body" | "lastUserText" | "context" | "toolOutputs" | "toolNames"> => {
  const body = Body.parse(JSON.parse(text));
  const spoken = body.messages.findLastIndex(({ role, content }) => role === "user" && isSpoken(textIn(content)));
  return {
    body,
    ...splitContext(textIn(body.messages[spoken]?.content) ?? ""),
    toolOutputs: body.messages.slice(spoken + 1).flatMap(({ role, content }) => toolOutputsIn(role, content)),
    toolNames: body.tools.map((tool) => tool.function?.name ?? tool.name ?? ""),
  };
};

/** Pictures of tool results follow as a message of the gateway. */
const isSpoken = (text: string | undefined): boolean =>
  text !== undefined && !text.startsWith("[images of the tool results above]");

/** Separates what a person wrote from the context that the gateway added. */
export const splitContext = (text: string): Pick<ModelRequest, "lastUserText" | "context"> => {
  const at = text.lastIndexOf("[Context, written by the gateway");
  return at < 0
    ? { lastUserText: text, context: "" }
    : { lastUserText: text.slice(0, at).replace(/\n\n$/, ""), context: text.slice(at) };
};

type Content = z.infer<typeof Content>;

const textIn = (content: Content): string | undefined => {
  if (typeof content === "string") return content;
  const texts = (content ?? []).flatMap((part) => (part.type === "text" ? (part.text ?? []) : []));
  return texts.length === 0 ? undefined : texts.join("");
};

/** OpenAI has a role for tool outputs; Anthropic has parts in a user message. */
const toolOutputsIn = (role: string, content: Content): string[] => {
  if (role === "tool") return [textIn(content) ?? ""];
  if (role !== "user" || typeof content === "string") return [];
  return (content ?? []).filter(({ type }) => type === "tool_result").map(({ content: output }) => outputText(output));
};

const outputText = (output: unknown): string => {
  const parsed = Content.safeParse(output);
  return (parsed.success ? textIn(parsed.data) : undefined) ?? "";
};
