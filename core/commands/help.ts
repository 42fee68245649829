import { suggest } from "../contract/suggest.ts";
import { cutAtGraphemes } from "../lib/index.ts";
import type { Command } from "./command.ts";

/** Builds `help`, which lists itself and these commands. */
export const helpOn = (others: readonly Command[]): Command => {
  const help: Command = {
    name: "help",
    menu: { description: "What I can do" },
    summary: "show this list",
    privately: false,
    async run() {
      const lines = [help, ...others].flatMap(({ name, usage = name, summary }) =>
        summary === undefined ? [] : [`- \`/${usage}\`: ${summary}`],
      );
      return {
        markdown: ["Just write to me as you would to a colleague. I also know these commands:", ...lines].join("\n"),
      };
    },
  };
  return help;
};

/** Answers an unknown command with the closest known name, or with all of them. */
export const unknownCommand = (name: string, known: readonly Command[]): Command => ({
  name,
  privately: false,
  async run() {
    const names = known.flatMap(({ name, summary }) => (summary === undefined ? [] : [name]));
    const shown = cutAtGraphemes(name.replace(/[^\p{L}\p{N}_-]+/gu, " ").trim(), 40);
    const meant = suggest(name, names);
    const advice =
      meant === undefined ? `I know ${names.map((one) => `\`/${one}\``).join(", ")}.` : `Did you mean \`/${meant}\`?`;
    return { markdown: `I don't know the command "${shown}". ${advice}` };
  },
});
