import type { CommandLine } from "../../core/contract/user-message.ts";

const COMMAND = /^\/([a-z][a-z0-9-]{0,31})(?:\s+([\s\S]*))?$/i;

/**
 * Parses a text command, for channels without native slash commands: "/" and a name, then its arguments.
 * A plain word is never a command: a person may want to say "help".
 */
export const textCommand = (text: string): CommandLine | undefined => {
  const [, name, args = ""] = COMMAND.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), args: args.trim() };
};

/** The kind of a message that is either a command or text for the agent. */
export const kindFor = (command: CommandLine | undefined) =>
  command === undefined ? ({ kind: "message" } as const) : ({ kind: "command", command } as const);
