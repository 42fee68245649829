import { Message, type Part, Role, type SendMessageRequest } from "@a2a-js/sdk";
import { ContentTypeNotSupportedError, RequestMalformedError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import { incomingChain } from "../../../core/a2a/index.ts";
import type { InboundCall } from "../../../core/contract/messages/inbound-call.ts";
import { stableId } from "../../../core/lib/index.ts";
import type { ServedAgent } from "../caller-check.ts";
import { type Caller, mayUse } from "../caller-check.ts";
import { readWebhook } from "./webhooks.ts";

interface CallSource {
  readonly agent: ServedAgent;
  /** Address of the agent in hop counts. */
  readonly address: string;
  readonly caller: Caller;
  /** Protocol version. */
  readonly version: string;
  readonly sentAt: string;
  readonly pushAllow: readonly string[];
  /** The caller's trace, if it sent one. */
  readonly trace?: string | undefined;
}

const MAX_ID_CHARS = 200;

/** Reads a request as a call to the agent. Throws the protocol's error for an invalid request. */
export const readCall = ({ message, configuration, metadata }: SendMessageRequest, source: CallSource): InboundCall => {
  if (message === undefined) throw new RequestMalformedError("message is missing");
  const { messageId, contextId, taskId, role, parts } = message;
  for (const [name, value] of Object.entries({ messageId, contextId, taskId })) checkId(`message.${name}`, value);
  if (messageId.trim() === "") throw new RequestMalformedError("message.messageId is missing");
  if (role !== Role.ROLE_USER)
    throw new RequestMalformedError("message.role must be ROLE_USER: callers are users here");
  checkHistoryLength(configuration?.historyLength);
  const text = readParts(parts);
  const { agent, caller, sentAt, trace } = source;
  const { tenant, name } = agent;
  // Deterministic, so that a caller that got no response can repeat the message.
  const id = taskId || stableId("task", tenant, name, caller.name, messageId, contextId, text);
  const webhook = configuration?.taskPushNotificationConfig;
  const skill = skillFor(source, message.metadata?.skill ?? metadata?.skill);
  const extension = chainIn(message.metadata, source.address);
  return {
    tenant,
    agent: name,
    caller: caller.name,
    id,
    contextId: contextId || stableId("context", id),
    ...(contextId === "" && taskId === "" && { isNewContext: true }),
    said: { id: messageId, from: "caller", text, wire: Message.toJSON(message) as Record<string, unknown> },
    sentAt,
    ...(skill && { skill: { id: skill.id, name: skill.name } }),
    ...(webhook && { webhook: readWebhook(webhook, source, stableId("webhook", id, webhook.url)) }),
    ...(extension && { extension }),
    ...(trace !== undefined && { trace }),
  };
};

/** Rejects a message whose chain has used up its hops, even if the sender counts wrongly (A4). */
const chainIn = (metadata: Message["metadata"], address: string): InboundCall["extension"] => {
  const chain = incomingChain(metadata, address);
  if (chain === "exhausted") {
    throw new UnsupportedOperationError(
      "these agents have reached the limit of messages about this work: decide with what you know",
    );
  }
  return chain;
};

/** The SDK passes requests of version 0.3 on unchecked, so an id may have any type. */
export const checkId = (name: string, id: unknown): void => {
  if (typeof id !== "string") throw new RequestMalformedError(`${name} must be text`);
  if (id.length > MAX_ID_CHARS) throw new RequestMalformedError(`${name} has more than ${MAX_ID_CHARS} characters`);
  if (!id.isWellFormed()) throw new RequestMalformedError(`${name} must be valid Unicode`);
};

/** Allows undefined and whole numbers from 0; invalid text arrives as NaN. */
export const checkHistoryLength = (length: number | undefined): void => {
  if (length !== undefined && (!Number.isInteger(length) || length < 0)) {
    throw new RequestMalformedError("historyLength must be a whole number, 0 or more");
  }
};

/** The skill that a message names, if the caller may use it. A caller with a single skill need not name it. */
const skillFor = ({ agent, caller }: CallSource, named: unknown): ServedAgent["skills"][number] | undefined => {
  const usable = agent.skills.filter(({ id }) => mayUse(caller, id));
  if (named === undefined) {
    if (caller.skills === undefined) return undefined;
    if (usable.length === 1) return usable[0];
  }
  const found = usable.find(({ id }) => id === named);
  if (found !== undefined) return found;
  const known = usable.map(({ id }) => id).join(", ") || "none";
  throw new RequestMalformedError(`message.metadata.skill must be a skill that you may use here: ${known}`);
};

/** The message as prompt text. Files are named, not fetched, because the caller chooses their address. */
const readParts = (parts: readonly Part[]): string => {
  if (parts.length === 0) throw new RequestMalformedError("message.parts must not be empty");
  const text = parts.map(textOfPart).join("\n\n").trim();
  if (text === "") throw new RequestMalformedError("message.parts must contain text");
  return text;
};

const textOfPart = ({ content, filename, mediaType }: Part, index: number): string => {
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
          `message.parts[${index}] is "${oneLine(mediaType).slice(0, 100)}"; only text/* and application/json are supported`,
        );
      }
      return `[attached: ${oneLine(filename || "unnamed")}]\n${content.value.toString("utf8")}`;
    default:
      throw new RequestMalformedError(`message.parts[${index}] has neither text, data, url nor raw`);
  }
};

/** Indents small data only, because indentation can multiply the size. */
const readable = (data: unknown): string => {
  const compact = JSON.stringify(data);
  return compact.length > MAX_INDENTED_CHARS ? compact : JSON.stringify(data, null, 2);
};
const MAX_INDENTED_CHARS = 4_000;

const oneLine = (text: string): string => text.replace(/[\p{C}\s]+/gu, " ").trim();
