import type { CommandLine } from "../../core/contract/messages/user-message.ts";

const COMMAND = /^\/([a-z][a-z0-9-]{0,31})(?:\s+([\s\S]*))?$/i;

/**
 * Core asks people to write these lines on another channel, whose spelling of commands it does not know. No message to
 * an agent looks like them: a link code as it is printed, or the answer to a link with its id.
 */
const LINK_LINE = /^`?[Ll]ink\s+([2-9A-Z]{5}-[2-9A-Z]{5}|(?:confirm|refuse) [0-9a-f]{16})`?$/;

/**
 * Parses a text command: "/" and a name, then its arguments.
 * A plain word is never a command: a person may want to say "help".
 */
export const textCommand = (text: string): CommandLine | undefined => {
  const typed = text.trim();
  const [, linkArgs] = LINK_LINE.exec(typed) ?? [];
  if (linkArgs !== undefined) return { name: "link", args: linkArgs };
  const [, name, args = ""] = COMMAND.exec(typed) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), args: args.trim() };
};

/**
 * The kind of a message that is either a command or text for the agent. Spread it last: V8 stores an object that starts
 * with a spread in a slow form, and each copy of it too, which cost a tenth of the CPU of a Slack event.
 */
export const kindFor = (command: CommandLine | undefined) =>
  command === undefined ? ({ kind: "message" } as const) : ({ kind: "command", command } as const);
