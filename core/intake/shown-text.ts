import type { Attachment, UserMessage } from "../contract/user-message.ts";

/** A message as the model is shown it: with its writer where several write, and with what was attached. */
export const shownText = ({ conversation, account, text, attachments }: UserMessage): string => {
  const words = conversation.kind === "shared" ? `${oneLine(account.name)}: ${text}` : text;
  return [words, ...attachments.map(shown)].join("\n").trim() || "(an empty message)";
};

/** A text with its words; of everything else the model is told that it is there. */
const shown = ({ name, mediaType, text }: Attachment): string => {
  const label = `[attached: ${oneLine(name)} (${oneLine(mediaType)})]`;
  return text === undefined ? label : `${label}\n${text}\n[end of ${oneLine(name)}]`;
};

const oneLine = (text: string): string => text.replace(/[\p{C}\s]+/gu, " ").trim();
