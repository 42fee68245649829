import type { UserMessage } from "../../core/contract/user-message.ts";

const COMMAND = /^\/([a-z][a-z0-9-]{0,31})(?:\s+([\s\S]*))?$/i;

/**
 * The command that a text is, on channels without commands of their own: "/" and a name, and what it takes behind it.
 * A plain word is never one: "help" may be what somebody wants to say.
 */
export const textCommand = (text: string): UserMessage["command"] => {
  const [, name, args = ""] = COMMAND.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), args: args.trim() };
};
