import { commands } from "./commands.ts";

/** How core writes a command that people can type: a code span, a slash, the name. */
const TYPED = new RegExp(`(?<!\`)\`/(${commands.map(({ name }) => name).join("|")})(?=[ \`])`, "g");
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Spells the commands in a text of core as people type them on one channel. Fenced code stays as it is. */
export const spellCommands = (markdown: string, prefix = "/"): string => {
  if (prefix === "/") return markdown;
  let fence = "";
  const spell = (line: string): string => {
    const [, found = ""] = FENCE.exec(line) ?? [];
    if (fence !== "") {
      if (found.startsWith(fence)) fence = "";
      return line;
    }
    fence = found;
    return found === "" ? line.replace(TYPED, (_, name: string) => `\`${prefix}${name}`) : line;
  };
  return markdown.split("\n").map(spell).join("\n");
};
