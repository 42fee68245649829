import type { UserMessage } from "../contract/user-message.ts";

/** A message as the model is shown it: with its writer where several write, and with what was attached. */
export const shownText = ({ conversation, account, text, attachments }: UserMessage): string => {
  const words = conversation.kind === "shared" ? `${account.name.replace(/\s+/g, " ")}: ${text}` : text;
  const attached = attachments.map(({ name, mediaType }) => `[attached: ${name} (${mediaType})]`);
  return [words, ...attached].join("\n").trim() || "(an empty message)";
};
