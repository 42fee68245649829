import { suggest } from "../contract/suggest.ts";
import { cutAtGraphemes } from "../lib/index.ts";
import type { Command } from "./command.ts";
import { commands } from "./commands.ts";

/** Answers for a command that there is not. */
export const unknownCommand = (name: string): Command => ({
  name,
  privately: false,
  async run() {
    const names = commands.flatMap(({ name, summary }) => (summary === undefined ? [] : [name]));
    const shown = cutAtGraphemes(name.replace(/[^\p{L}\p{N}_-]+/gu, " ").trim(), 40);
    const meant = suggest(name, names);
    const advice = meant === undefined ? `I know: ${names.join(", ")}.` : `Did you mean \`${meant}\`?`;
    return { markdown: `I do not know the command "${shown}". ${advice}` };
  },
});
