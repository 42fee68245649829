import type { Command } from "./command.ts";

/** `help` on these commands and itself. */
export const helpOn = (others: readonly Command[]): Command => {
  const help: Command = {
    name: "help",
    summary: "this text",
    privately: false,
    async run() {
      const lines = [help, ...others].flatMap(({ name, usage = name, summary }) =>
        summary === undefined ? [] : [`- \`${usage}\`: ${summary}`],
      );
      return { markdown: ["Write to me as you would to a person. Commands:", ...lines].join("\n") };
    },
  };
  return help;
};
