import { AppError } from "../contract/app-error.ts";
import type { Attachment, FromPerson, SyntheticMessage, TurnMessage } from "../contract/user-message.ts";
import type { Agent } from "../turns/index.ts";
import type { TurnFeatures, TurnPrompt, TurnRequester, TurnSources } from "../turns/source/index.ts";

/** The prompt of a turn: the text of a person or of a task, or the prompt of the feature that wrote the message. */
export const turnPrompt = async ({ sources }: TurnFeatures, agent: Agent, message: TurnMessage): Promise<TurnPrompt> =>
  message.kind === "synthetic"
    ? promptOf(sources, agent, message)
    : { text: shownText(message), mustReply: false, obsolete: false };

const promptOf = (sources: TurnSources, agent: Agent, message: SyntheticMessage) => {
  const { type, data } = message.synthetic;
  if (data === undefined) throw new AppError("data-unusable", `the payload of a message of type ${type} is invalid`);
  // The compiler cannot tell that source and message are of the same type.
  const source = sources[type] as (agent: Agent, message: SyntheticMessage) => TurnPrompt | Promise<TurnPrompt>;
  return source(agent, message);
};

/** A message in the form that the model reads: with the author in shared conversations, and with attachments. */
export const shownText = ({ conversation, account, text, attachments }: FromPerson): string => {
  const words = conversation.kind === "shared" ? `${oneLine(account.name)}: ${text}` : text;
  return [words, ...attachments.map(shown)].join("\n").trim() || "(an empty message)";
};

/** Text attachments with their content; others by name and type only. */
const shown = ({ name, mediaType, text }: Attachment): string => {
  const label = `[attached: ${oneLine(name)} (${oneLine(mediaType)})]`;
  return text === undefined ? label : `${label}\n${text}\n[end of ${oneLine(name)}]`;
};

const oneLine = (text: string): string => text.replace(/[\p{C}\s]+/gu, " ").trim();

/** Undefined: the turn is for people. Only messages that core wrote can be for an agent. */
export const requesterOf = ({ requesters }: TurnFeatures, message: TurnMessage): TurnRequester | undefined => {
  if (message.kind !== "synthetic") return undefined;
  for (const find of requesters) {
    const requester = find(message);
    if (requester !== undefined) return requester;
  }
  return undefined;
};
