import { AppError } from "../contract/app-error.ts";
import type { Attachment, UserMessage } from "../contract/user-message.ts";
import type { Agent } from "../turns/index.ts";
import type { TurnFeatures, TurnPrompt, TurnRequester } from "../turns/source/index.ts";

/** The prompt of a turn: the text of a person or of a task, or the prompt of the feature that wrote the message. */
export const turnPrompt = async (
  { sources }: TurnFeatures,
  agent: Agent,
  message: UserMessage,
): Promise<TurnPrompt> => {
  const { synthetic } = message;
  if (synthetic === undefined) return { text: shownText(message), mustReply: false, obsolete: false };
  if (synthetic.type === "task") return { text: message.text, mustReply: false, obsolete: false };
  const source = sources.find(({ types }) => types.includes(synthetic.type));
  if (source === undefined)
    throw new AppError("data-unusable", `no turn source takes messages of type ${synthetic.type}`);
  return source.prompt(agent, { ...message, synthetic });
};

/** A message in the form that the model reads: with the author in shared conversations, and with attachments. */
export const shownText = ({ conversation, account, text, attachments }: UserMessage): string => {
  const words = conversation.kind === "shared" ? `${oneLine(account.name)}: ${text}` : text;
  return [words, ...attachments.map(shown)].join("\n").trim() || "(an empty message)";
};

/** Text attachments with their content; others by name and type only. */
const shown = ({ name, mediaType, text }: Attachment): string => {
  const label = `[attached: ${oneLine(name)} (${oneLine(mediaType)})]`;
  return text === undefined ? label : `${label}\n${text}\n[end of ${oneLine(name)}]`;
};

const oneLine = (text: string): string => text.replace(/[\p{C}\s]+/gu, " ").trim();

/** Undefined: the turn is for people. Only messages that a feature wrote can be for an agent. */
export const requesterOf = ({ requesters }: TurnFeatures, message: UserMessage): TurnRequester | undefined =>
  message.synthetic && requesters.find((requester) => requester.isFor(message));
