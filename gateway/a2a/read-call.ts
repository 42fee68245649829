import { Message, Role, type SendMessageRequest, type TaskPushNotificationConfig } from "@a2a-js/sdk";
import { RequestMalformedError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import type { InboundCall, Webhook } from "../../core/a2a/inbound/index.ts";
import { checkAddress, incomingChain } from "../../core/a2a/index.ts";
import { AppError } from "../../core/contract/app-error.ts";
import { stableId } from "../../core/lib/index.ts";
import type { Caller } from "./caller-check.ts";
import { mayUse } from "./caller-check.ts";
import { readParts } from "./read-parts.ts";
import type { ServedAgent } from "./served-agent.ts";

export interface CallSource {
  readonly agent: ServedAgent;
  /** Of the agent, as hops are counted by it. */
  readonly address: string;
  readonly caller: Caller;
  /** Of the protocol. */
  readonly version: string;
  readonly sentAt: string;
  readonly pushAllow: readonly string[];
  /** Of the caller, if it sent one. */
  readonly trace?: string | undefined;
}

const MAX_ID_CHARS = 200;

/** A request as a call to the agent. Throws what the protocol says about a request that makes no sense. */
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
  // The same message is the same task, so that a caller may repeat it if it has heard nothing.
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

/** Refuses what agents have passed to and fro as often as may be, whoever of them counts badly (A4). */
const chainIn = (metadata: Message["metadata"], address: string): InboundCall["extension"] => {
  const chain = incomingChain(metadata, address);
  if (chain === "exhausted") {
    throw new UnsupportedOperationError("this was passed to and fro as often as may be: decide with what you know");
  }
  return chain;
};

/** What comes by version 0.3 is handed on as it came: an id may be anything. */
export const checkId = (name: string, id: unknown): void => {
  if (typeof id !== "string") throw new RequestMalformedError(`${name} must be text`);
  if (id.length > MAX_ID_CHARS) throw new RequestMalformedError(`${name} has more than ${MAX_ID_CHARS} characters`);
  if (!id.isWellFormed()) throw new RequestMalformedError(`${name} is no Unicode text`);
};

/** undefined or a whole number from 0 on; what is no number has become NaN on the way. */
export const checkHistoryLength = (length: number | undefined): void => {
  if (length !== undefined && (!Number.isInteger(length) || length < 0)) {
    throw new RequestMalformedError("historyLength must be a whole number from 0 on");
  }
};

/** The skill that a message names, if the caller may use it. Who may use one only need not name it. */
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

export const readWebhook = (
  { id, url, token, authentication }: TaskPushNotificationConfig,
  { version, pushAllow }: Pick<CallSource, "version" | "pushAllow">,
  ownId: string,
): Webhook => {
  try {
    checkAddress(url, pushAllow);
  } catch (error) {
    if (error instanceof AppError) throw new RequestMalformedError(`the push notification's url: ${error.message}`);
    throw error;
  }
  if (`${id}${url}${token}`.length > MAX_WEBHOOK_CHARS)
    throw new RequestMalformedError("the push notification's configuration is too long");
  return {
    id: id || ownId,
    url,
    version,
    ...(token !== "" && { token }),
    ...(authentication && { authentication: { ...authentication } }),
  };
};

const MAX_WEBHOOK_CHARS = 4_000;
