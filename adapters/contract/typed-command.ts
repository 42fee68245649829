/** Commands that people may also type, where a platform has no slash commands or not in this place (I3). */
const NAMES: ReadonlySet<string> = new Set([
  "help",
  "why",
  "status",
  "cancel",
  "schedules",
  "inbox",
  "link",
  "unlink",
  "new",
  "quiet",
]);

export interface TypedCommand {
  readonly name: string;
  readonly args: string;
}

/**
 * The command that a message is, if it is one: "/name …" or "!name …", or the bare name alone or with one id or code.
 * "new ideas, please" and "link these two" are words to the agent.
 */
export const typedCommand = (text: string): TypedCommand | undefined => {
  const [, sign = "", word = "", args = ""] = /^\s*([/!]?)([a-z]+)[?!.]?(?:\s+([\s\S]*?))?\s*$/i.exec(text) ?? [];
  const name = word.toLowerCase();
  if (!NAMES.has(name)) return undefined;
  return sign !== "" || args === "" || ID_OR_CODE.test(args) ? { name, args } : undefined;
};

const ID_OR_CODE = /^(?=\S*\d)[\w-]+$/;
