import type { UserMessage } from "../../core/contract/user-message.ts";

const COMMAND = /^\/([a-z][a-z0-9-]{0,31})(?:\s+([\s\S]*))?$/i;

/**
 * Parses a text command, for channels without native slash commands: "/" and a name, then its arguments.
 * A plain word is never a command: a person may want to say "help".
 */
export const textCommand = (text: string): UserMessage["command"] => {
  const [, name, args = ""] = COMMAND.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), args: args.trim() };
};
